import { describe, expect, test } from 'vitest';
import { readUsedHeapBytes } from '../testing/collect-garbage.ts';
import { pick, randomText, seededBelow, testSeed } from '../testing/inference/values.ts';
import { cutAtStop } from './finish.ts';
import { createTextHold } from './stream.ts';

const seed = testSeed();
console.info(`stream.test.ts: TEST_SEED=${seed}`);

function pushAll(stop: readonly string[], parts: readonly string[]): string[] {
  const hold = createTextHold(stop);
  return parts.map((part) => hold.push(part));
}

describe('a text that is streamed with stop sequences (D-268)', () => {
  test.each([
    ['without a sequence passes at once', [], ['one ', 'two'], ['one ', 'two']],
    ['waits where a sequence may begin', ['END'], ['on', 'e EN', 'emy'], ['on', 'e ', 'ENemy']],
    ['sends nothing behind a sequence', ['END'], ['one E', 'ND two', ' END'], ['one ', '', '']],
    [
      'ends before the earlier of two, though it is complete later',
      ['b', 'abcd'],
      ['x', 'ab', 'c', 'd'],
      ['x', '', '', ''],
    ],
    [
      'ends before the shorter one when the longer one does not follow',
      ['b', 'abcd'],
      ['xab', 'x'],
      ['x', 'a'],
    ],
    ['ignores an empty sequence', [''], ['one'], ['one']],
    ['keeps both halves of a pair together', [], ['a\ud83d', '\ude00b'], ['a', '😀b']],
    ['replaces half a pair', [], ['a\ud83d', 'b'], ['a', '\ufffdb']],
  ])('%s', (_, stop, parts, sent) => {
    expect(pushAll(stop, parts)).toEqual(sent);
  });

  test('is the beginning of the whole text that `cutAtStop` returns, and holds back no more than a sequence', () => {
    const below = seededBelow(seed);
    for (let round = 0; round < 2_000; round++) {
      // Few letters, so that sequences occur, overlap and almost occur.
      const draw = (length: number) =>
        below(4) === 0
          ? randomText(below, length)
          : Array.from({ length }, () => pick(below, ['a', 'b', '\ud83d', '\ude00'])).join('');
      const stop = Array.from({ length: below(4) }, () => draw(1 + below(5)));
      const text = draw(below(40));
      const parts: string[] = [];
      for (let at = 0; at < text.length; ) {
        const end = at + 1 + below(6);
        parts.push(text.slice(at, end));
        at = end;
      }
      const hold = createTextHold(stop);
      const sent = parts.map((part) => hold.push(part)).join('');
      const cut = cutAtStop(text, stop);
      const whole = (cut ?? text).toWellFormed();
      expect(whole.startsWith(sent)).toBe(true);
      expect(hold.sent).toBe(sent.length);
      const longest = Math.max(1, ...stop.map(({ length }) => length));
      expect(whole.length - sent.length).toBeLessThanOrEqual(longest);
    }
  });

  test('keeps no long text alive for each short part that it returns', () => {
    const stop = [`${'-'.repeat(300_000)}b`];
    const before = readUsedHeapBytes();
    const sent = pushAll(
      stop,
      Array.from({ length: 8_000 }, () => '-'.repeat(80)),
    );
    const keptBytes = readUsedHeapBytes() - before;
    expect(sent.join('')).toBe('-'.repeat(340_000));
    // Each of the 4,250 parts kept 300,000 bytes before.
    expect(keptBytes).toBeLessThan(100_000_000);
  });

  test.each([1, 1_000])(
    'takes linear time for a long sequence that almost occurs everywhere, in parts of %i',
    (length) => {
      const stop = [`${'a'.repeat(200_000)}b`];
      const parts = Array.from({ length: 400_000 / length }, () => 'a'.repeat(length));
      const began = performance.now();
      const sent = pushAll(stop, parts).join('');
      expect(sent.length).toBe(200_000);
      expect(performance.now() - began).toBeLessThan(2_000);
    },
  );
});
