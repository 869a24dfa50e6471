import { expect, test } from 'vitest';
import { cpuMs } from '../testing/cpu-time.ts';
import { seededBelow, testSeed } from '../testing/inference/values.ts';
import { cutAtStop, finishText } from './finish.ts';

const seed = testSeed();
console.info(`finish.test.ts: TEST_SEED=${seed}`);
const never = new AbortController().signal;
const finish = (text: string, maxTokens: number, stop: readonly string[] = []) =>
  finishText(text, { maxTokens, stop }, never);

test('finishes a text within max_tokens with stop, also when it takes the last token', async () => {
  const whole = { text: 'one two three', finishReason: 'stop', tokens: 3 };
  expect(await finish('one two three', 4)).toEqual(whole);
  expect(await finish('one two three', 3)).toEqual(whole);
  expect(await finish('one two three', 2)).toEqual({ text: 'one two', finishReason: 'length', tokens: 2 });
});

test('cuts at the earliest stop sequence in any order, and excludes it', async () => {
  const expected = { text: 'one ', finishReason: 'stop', tokens: 2 };
  expect(await finish('one two three', 9, ['three', 'two'])).toEqual(expected);
  expect(await finish('one two three', 9, ['two', 'three', 'wo', ''])).toEqual(expected);
});

test('ignores a stop sequence that max_tokens cuts', async () => {
  expect(await finish('one two three four', 3, ['three four'])).toEqual({
    text: 'one two three',
    finishReason: 'length',
    tokens: 3,
  });
});

test('returns an empty text for a stop sequence at the beginning', async () => {
  expect(await finish('one two', 9, ['o'])).toEqual({ text: '', finishReason: 'stop', tokens: 0 });
});

test('ignores an empty stop sequence', () => {
  expect(cutAtStop('text', [''])).toBeNull();
});

test('finds stop sequences at the same position as indexOf', () => {
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

test('takes little time for long stop sequences that almost occur everywhere', () => {
  const almost = `${'a'.repeat(32_768)}b${'a'.repeat(32_768)}`;
  const started = cpuMs();
  expect(cutAtStop('a'.repeat(131_072), Array(16).fill(almost))).toBeNull();
  // Measured: 0.05 s. indexOf takes 0.8 s for each of the sixteen.
  expect(cpuMs() - started).toBeLessThan(2_000);
});
