import ranks from 'gpt-tokenizer/bpeRanks/cl100k_base';
import { GptEncoding } from 'gpt-tokenizer/GptEncoding';
import { describe, expect, test } from 'vitest';
import { cpuMs } from '../testing/cpu-time.ts';
import { randomText, seededBelow, testSeed } from '../testing/inference/values.ts';
import { countTokens, encodingName, takeTokens } from './tokens.ts';

const never = new AbortController().signal;
const whole = GptEncoding.getEncodingApi(encodingName, () => ranks);
const count = (text: string) => whole.countTokens(text, { disallowedSpecial: new Set() });

const seed = testSeed();
console.info(`tokens.test.ts: TEST_SEED=${seed}`);

test('counts in turns the same number as the encoding itself', async () => {
  const below = seededBelow(seed);
  for (let round = 0; round < 60; round++) {
    const text = randomText(below, below(6_000));
    expect(await countTokens([text], never), JSON.stringify(text)).toBe(count(text));
  }
});

test('counts a written control token as text', async () => {
  expect(await countTokens(['<|endoftext|>'], never)).toBeGreaterThan(1);
  expect((await takeTokens('<|im_start|>system', 100, never)).text).toBe('<|im_start|>system');
});

test('takes the beginning of a text, at most the requested tokens, in whole characters', async () => {
  const below = seededBelow(seed);
  for (let round = 0; round < 200; round++) {
    const text = randomText(below, 1 + below(300));
    const tokensMax = 1 + below(count(text) + 5);
    const taken = await takeTokens(text, tokensMax, never);
    const where = `${JSON.stringify(text)} at ${tokensMax}`;
    expect(text.startsWith(taken.text), where).toBe(true);
    expect(taken.text.isWellFormed(), where).toBe(true);
    expect(taken.cut, where).toBe(tokensMax < count(text));
    expect(taken.tokens, where).toBe(Math.min(tokensMax, count(text)));
    expect(count(taken.text), where).toBeLessThanOrEqual(taken.tokens);
  }
});

test('takes exactly the requested tokens of plain words', async () => {
  const words = 'The quick brown fox jumps over the lazy dog, 12345 times. ';
  for (let tokensMax = 1; tokensMax < 60; tokensMax++) {
    const taken = await takeTokens(words.repeat(5), tokensMax, never);
    expect(count(taken.text)).toBe(tokensMax);
  }
});

describe('counts a mebibyte of text within seconds, without blocking the event loop', () => {
  const bytes = 1_048_576;
  const below = seededBelow(seed);
  const letters = () => String.fromCharCode(97 + below(26));
  const ideographs = () => String.fromCharCode(0x4e00 + below(20_000));
  test.each([
    ['one letter', 'a'.repeat(bytes)],
    ['spaces', ' '.repeat(bytes)],
    ['newlines', '\n'.repeat(bytes)],
    ['one emoji', '😀'.repeat(bytes / 4)],
    ['random letters', Array.from({ length: bytes }, letters).join('')],
    ['random ideographs', Array.from({ length: bytes / 4 }, ideographs).join('')],
  ])('%s', async (_, text) => {
    const loop = watchLoop();
    const started = cpuMs();
    expect(await countTokens([text], never)).toBeGreaterThan(1_000);
    // Measured: 0.05 to 0.9 s and 3 to 15 ms. Counted in one piece, the same texts take minutes.
    expect(cpuMs() - started).toBeLessThan(10_000);
    expect(loop.turns()).toBeGreaterThan(100);
  });
});

test('ends when the signal is aborted', async () => {
  const controller = new AbortController();
  const counting = countTokens(['word '.repeat(200_000)], controller.signal);
  setImmediate(() => controller.abort(new Error('enough')));
  await expect(counting).rejects.toThrow('enough');
});

/** Counts the turns of the event loop. */
function watchLoop() {
  let turns = 0;
  let watching = true;
  const turn = () => {
    turns++;
    if (watching) setImmediate(turn);
  };
  setImmediate(turn);
  return {
    turns() {
      watching = false;
      return turns;
    },
  };
}
