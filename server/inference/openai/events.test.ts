import { describe, expect, test } from 'vitest';
import { readEvents } from './events.ts';

async function* parts(text: string, size: number) {
  const bytes = Buffer.from(text);
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

async function read(text: string, size: number, eventBytesMax = 64): Promise<string[]> {
  const found: string[] = [];
  for await (const data of readEvents(parts(text, size), eventBytesMax)) found.push(data);
  return found;
}

describe.each([1, 2, 3, 7, 1_000])('events that arrive in parts of %i bytes', (size) => {
  test.each([
    ['data: one\n\ndata: two\n\n', ['one', 'two']],
    ['data: one\r\n\r\ndata:two\r\n\r\n', ['one', 'two']],
    ['data: a\ndata\ndata:  b\n\n', ['a\n\n b']],
    [': a comment\n\nevent: x\nid: 7\nretry: 3\ndata: one\n\n', ['one']],
    ['data: 漢字😀\n\n', ['漢字😀']],
    ['\n\n\ndata: one\n\n\n\n', ['one']],
    ['data: one\n\ndata: without an end', ['one']],
    ['database: no\n\ndata: one\n\n', ['one']],
    ['', []],
  ])('%j', async (text, expected) => {
    expect(await read(text, size)).toEqual(expected);
  });

  test.each([
    `data: ${'x'.repeat(100)}\n\n`,
    `data: ${'x'.repeat(100)}`,
    `${'data: xxxxxxxxxx\n'.repeat(10)}\n`,
    `: ${'x'.repeat(100)}`,
  ])('an event over the limit is refused without its content', async (text) => {
    await expect(read(text, size)).rejects.toThrow('an event is larger than 64 bytes');
  });

  test('many events below the limit pass', async () => {
    expect(await read('data: 0123456789\n\n'.repeat(50), size)).toHaveLength(50);
  });
});
