import { describe, expect, it } from 'vitest';
import { createPrettyLine } from './pretty-line.ts';

const time = new Date(2026, 0, 2, 3, 4, 5, 6).getTime();
const pretty = createPrettyLine(false);
const formatLine = (line: object) => pretty(`${JSON.stringify({ level: 30, time, ...line })}\n`);
const escapeCharacter = String.fromCharCode(27);

describe('A pretty log line (D-190)', () => {
  it('has time, level, message and each field, on one line', () => {
    const fields = { payment: 7, payer: '0x44', relayers: ['0x1'], note: 'two words', empty: '', none: null };
    expect(formatLine({ ...fields, msg: 'settled late' })).toBe(
      '03:04:05.006 INFO  settled late payment=7 payer=0x44 relayers=["0x1"] note="two words" empty="" none=null\n',
    );
  });

  it.each([
    [20, 'DEBUG'],
    [30, 'INFO '],
    [40, 'WARN '],
    [50, 'ERROR'],
    [35, '35'],
  ])('has for level %i the label %s', (level, label) => {
    expect(formatLine({ level, msg: 'x' })).toBe(`03:04:05.006 ${label} x\n`);
  });

  it('has the stack of an error on the same line', () => {
    const line = formatLine({
      err: { type: 'Error', message: 'why', stack: 'Error: why\n    at x' },
      msg: 'failed',
    });
    expect(line).toBe(
      '03:04:05.006 INFO  failed err={"type":"Error","message":"why","stack":"Error: why\\n    at x"}\n',
    );
  });

  it('has colours only when they are requested', () => {
    const coloured = createPrettyLine(true)(JSON.stringify({ level: 40, time, msg: 'x', port: 1 }));
    expect(coloured).toContain(`${escapeCharacter}[33mWARN `);
    expect(formatLine({ level: 40, msg: 'x', port: 1 })).not.toContain(escapeCharacter);
  });

  it.each([
    ['a line break', '\n', '\\n'],
    ['a colour', `${escapeCharacter}[31m`, '\\u{1b}[31m'],
    ['a control character of eight bits', String.fromCharCode(0x9b), '\\u{9b}'],
    ['a change of direction', String.fromCharCode(0x202e), '\\u{202e}'],
  ])('escapes %s in a message, a name or a value', (_name, text, shown) => {
    expect(formatLine({ msg: `a${text}b` })).toBe(`03:04:05.006 INFO  a${shown}b\n`);
    for (const line of [
      formatLine({ msg: '', field: `a${text}b` }),
      formatLine({ msg: '', [`a${text}b`]: 1 }),
    ]) {
      expect(line.split('\n')).toHaveLength(2);
      expect(line.slice(0, -1)).not.toMatch(/[\p{Cc}\p{Cf}]/u);
    }
  });

  it('stays unchanged when it is not JSON', () => {
    expect(pretty('no JSON\n')).toBe('no JSON\n');
    expect(pretty('5')).toBe('5\n');
  });
});
