import { expect, test } from 'vitest';
import { createTokenLimit } from './token-limit.ts';
import { takeTokens } from './tokens.ts';

const { signal } = new AbortController();

async function takeAll(tokensMax: number, parts: readonly string[], partsMax = 0) {
  const limit = createTokenLimit(tokensMax, partsMax);
  let text = '';
  for (const part of parts) {
    const taken = await limit.take(part, signal);
    text += taken.text;
    if (taken.isCut) return { text, isCut: true };
  }
  return { text, isCut: false };
}

/** The words of a text, each with the space before it. */
function listWords(count: number): readonly string[] {
  return Array.from({ length: count }, () => ' word');
}

test('a text within the limit passes whole, in any parts (D-272)', async () => {
  expect(await takeAll(100, listWords(100))).toEqual({ text: listWords(100).join(''), isCut: false });
  expect(await takeAll(100, [listWords(100).join('')])).toMatchObject({ isCut: false });
  expect(await takeAll(4, ['\u{1f600}', 'abc'])).toMatchObject({ text: '\u{1f600}abc', isCut: false });
});

test.each([1, 3, 1_000])(
  'a longer text is cut before the first token too many, in parts of %i words',
  async (size) => {
    const words = listWords(1_000);
    const parts: string[] = [];
    for (let at = 0; at < words.length; at += size) parts.push(words.slice(at, at + size).join(''));
    const { text } = await takeTokens(words.join(''), 100, signal);
    expect(await takeAll(100, parts)).toEqual({ text, isCut: true });
  },
);

test('a cut never returns text that was not in the part', async () => {
  const limit = createTokenLimit(2, 0);
  expect(await limit.take('a', signal)).toEqual({ text: 'a', isCut: false });
  expect(await limit.take(' b c d', signal)).toEqual({ text: ' b', isCut: true });
});

test('a text with more tokens is cut only before the first part too many', async () => {
  const words = listWords(100);
  expect(await takeAll(10, words, 100)).toEqual({ text: words.join(''), isCut: false });
  expect(await takeAll(10, ['', ...words], 60)).toEqual({ text: listWords(60).join(''), isCut: true });
  expect(await takeAll(10, words, 5)).toEqual({ text: listWords(10).join(''), isCut: true });
});
