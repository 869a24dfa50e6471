import { expect, test } from 'vitest';
import { cpuMs } from '../testing/cpu-time.ts';
import { seededBelow, testSeed } from '../testing/inference/values.ts';
import { cutAtStop, finishText } from './finish.ts';

const seed = testSeed();
console.info(`finish.test.ts: TEST_SEED=${seed}`);
const never = new AbortController().signal;
const finish = (text: string, maxTokens: number, stop: readonly string[] = []) =>
  finishText(text, { maxTokens, stop }, never);

test('a text that has room ends by itself, also when it takes the last token', async () => {
  const whole = { text: 'one two three', finishReason: 'stop', tokens: 3 };
  expect(await finish('one two three', 4)).toEqual(whole);
  expect(await finish('one two three', 3)).toEqual(whole);
  expect(await finish('one two three', 2)).toEqual({ text: 'one two', finishReason: 'length', tokens: 2 });
});

test('the earliest stop sequence wins, whatever their order, and is not in the text', async () => {
  const expected = { text: 'one ', finishReason: 'stop', tokens: 2 };
  expect(await finish('one two three', 9, ['three', 'two'])).toEqual(expected);
  expect(await finish('one two three', 9, ['two', 'three', 'wo', ''])).toEqual(expected);
});

test('a stop sequence that the limit cuts was never complete', async () => {
  expect(await finish('one two three four', 3, ['three four'])).toEqual({
    text: 'one two three',
    finishReason: 'length',
    tokens: 3,
  });
});

test('a stop sequence at the very beginning leaves nothing', async () => {
  expect(await finish('one two', 9, ['o'])).toEqual({ text: '', finishReason: 'stop', tokens: 0 });
});

test('an empty stop sequence stops nothing', () => {
  expect(cutAtStop('text', [''])).toBeNull();
});

test('stop sequences are found where indexOf finds them', () => {
  const below = seededBelow(seed);
  const word = (length: number) => Array.from({ length }, () => 'ab'.charAt(below(2))).join('');
  for (let round = 0; round < 2_000; round++) {
    const text = word(below(20));
    const sequence = word(1 + below(5));
    const place = text.indexOf(sequence);
    expect(cutAtStop(text, [sequence]), `${text} ${sequence}`).toBe(
      place === -1 ? null : text.slice(0, place),
    );
  }
});

test('long stop sequences that almost occur everywhere cost little time', () => {
  const almost = `${'a'.repeat(32_768)}b${'a'.repeat(32_768)}`;
  const started = cpuMs();
  expect(cutAtStop('a'.repeat(131_072), Array(16).fill(almost))).toBeNull();
  // Measured at 0.05 s; indexOf takes 0.8 s for each of the sixteen.
  expect(cpuMs() - started).toBeLessThan(2_000);
});
