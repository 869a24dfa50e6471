import { describe, expect, test } from 'vitest';
import { cpuMs } from '../../testing/cpu-time.ts';
import { seededBelow, testSeed } from '../../testing/inference/values.ts';
import { readPattern } from './pattern.ts';

const seed = testSeed();
console.info(`pattern.test.ts: TEST_SEED=${seed}`);

const understood = [
  '',
  '^$',
  'a',
  'abc|d',
  '^[A-Z]{3}$',
  '^\\d{4}-\\d{2}$',
  '^(foo|bar)-[a-z]+$',
  'colou?r',
  '^\\+?[1-9]\\d{1,14}$',
  '^#[0-9a-fA-F]{6}$',
  '^[^@\\s]+@[^@\\s]+\\.[a-z]{2,}$',
  '^(?:a|b){2,4}$',
  '.*',
  '^[\\w.-]+$',
  '^(?<year>\\d+)$',
  '^\\u0041\\x42$',
  '[\\]a-]',
  '^a*?b+?$',
  '\\.\\/\\|',
  '^(a|b|)c$',
  '(a*)*b',
  '^\\D\\W\\S$',
  '[^]',
  '^.{3}$',
  '(^a|b$)',
  '^\\n\\t$',
  '漢+',
  '^[一-龥]{2}$',
  '^(?:(?:ab)+c?){2}$',
];

test.each(understood)('matches the same texts as RegExp: %s', (source) => {
  const pattern = readPattern(source);
  const below = seededBelow(seed);
  const characters = [...'abcABC019-_.@ \n\t#+/漢x', '😀'];
  for (let round = 0; round < 300; round++) {
    const text = Array.from({ length: below(9) }, () => characters[below(characters.length)] ?? '').join('');
    expect(pattern?.matches(text), JSON.stringify(text)).toBe(new RegExp(source, 'u').test(text));
  }
});

test.each(understood)('makes strings that match %s', (source) => {
  const pattern = readPattern(source);
  const expression = new RegExp(source, 'u');
  expect(pattern?.make(0, 100, 0)).toEqual(expect.stringMatching(expression));
  for (const [lengthMin, lengthMax] of [
    [0, 3],
    [5, 9],
    [8, 8],
  ] as const) {
    const made = pattern?.make(lengthMin, lengthMax, 1);
    if (made === null || made === undefined) continue;
    expect(made).toEqual(expect.stringMatching(expression));
    expect([...made].length).toBeGreaterThanOrEqual(lengthMin);
    expect([...made].length).toBeLessThanOrEqual(lengthMax);
  }
});

test('makes strings of a given length when the pattern allows it, else null', () => {
  expect(readPattern('^[a-z]+$')?.make(7, 7, 0)).toBe('aaaaaaa');
  expect(readPattern('^\\d{4}-\\d{2,9}$')?.make(10, 12, 0)).toBe('0000-00000');
  expect(readPattern('^[A-Z]{3}$')?.make(4, 9, 0)).toBeNull();
});

test.each([
  '(?=a)',
  '(?<!a)b',
  '\\bfoo',
  '(a)\\1',
  '\\p{L}',
  '[a',
  '(a',
  'a)',
  'a{2',
  '*a',
  'a**',
  '[z-a]',
  '\\',
  'a{3,2}',
  'x'.repeat(1_001),
])('does not support %s', (source) => {
  expect(readPattern(source)).toBeNull();
});

describe('takes little time for patterns that take RegExp exponential time', () => {
  test.each([
    '^(a+)+$',
    '^(a|a)*$',
    '^(a*)*b$',
    '^((a+)*)*$',
    '^(.*)*(.*)*(.*)*q$',
    '((((a{999}){999}){999}){999}){999}',
  ])('%s', (source) => {
    const started = cpuMs();
    const pattern = readPattern(source);
    expect(pattern?.matches(`${'a'.repeat(2_000)}!`)).toBe(false);
    pattern?.make(0, 10_000, 0);
    // Measured: below 0.05 s.
    expect(cpuMs() - started).toBeLessThan(2_000);
  });
});
