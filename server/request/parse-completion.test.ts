import { expect, it } from 'vitest';
import { createCompletionParser } from './parse-completion.ts';

const megabyte = JSON.stringify('x'.repeat(1_048_576));

it('is full while large completions of more than 32 MiB wait for their turns (D-410)', async () => {
  const { parse, isFull } = createCompletionParser();
  const parsed = Array.from({ length: 31 }, () => parse(megabyte, 'a'));
  expect([isFull(0), isFull(1_048_576)]).toEqual([false, true]);
  parsed.push(parse(megabyte, 'a'));
  expect(isFull(0)).toBe(true);
  expect(new Set(await Promise.all(parsed))).toEqual(new Set(['x'.repeat(1_048_576)]));
  expect(isFull(32 * 1_048_576)).toBe(false);
});

it('does not count small completions, which do not wait (D-410)', () => {
  const { parse, isFull } = createCompletionParser();
  void parse('"pong"', 'a');
  expect(isFull(32 * 1_048_576)).toBe(false);
});
