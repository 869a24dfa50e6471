import { randomInt } from 'node:crypto';

/** For tests: returns the seed of a run: TEST_SEED to repeat a run, else a new seed. */
export function testSeed(): number {
  const named = process.env['TEST_SEED'];
  return named === undefined ? randomInt(2 ** 31) : Number(named);
}

export type Below = (limit: number) => number;

/** Creates numbers below a limit that look random and repeat for the same seed (mulberry32). */
export function seededBelow(seed: number): Below {
  let state = seed;
  return (limit) => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) % limit;
  };
}

export function pick<T>(below: Below, values: readonly [T, ...T[]]): T {
  return values[below(values.length)] ?? values[0];
}

/** Creates about `length` characters of words, marks and scripts that tokenizers treat differently. */
export function randomText(below: Below, length: number): string {
  let text = '';
  while (text.length < length) text += pick(below, scraps);
  return text;
}

const scraps: readonly [string, ...string[]] = [
  ' word',
  ' another',
  ' ',
  '  ',
  '\n',
  '\r\n',
  '. ',
  ', ',
  '!',
  '—',
  " don't",
  " I'LL",
  '12',
  ' 3456789',
  '\t',
  ' Éclair',
  '漢字',
  'かな',
  '😀',
  '👩‍👩‍👧',
  'é',
  '<|endoftext|>',
  '{"a":',
  ' under_score',
  ' камень',
];
