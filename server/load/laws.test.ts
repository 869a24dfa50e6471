import { expect, it } from 'vitest';
import { judgeMemory, judgeP99, judgeProofs, splitThirds, type Timed } from './laws.ts';

/** One value a second for this many seconds. */
const values = (seconds: number, value: (second: number) => number): readonly Timed[] =>
  Array.from({ length: seconds }, (_, at) => ({ atMs: at * 1_000, value: value(at) }));

it('compares the last third with the first third after the warm-up', () => {
  const [first, last] = splitThirds(
    values(100, (second) => second),
    [0, 100_000],
  );
  expect([first[0], first.at(-1), last[0], last.at(-1)]).toEqual([10, 39, 70, 99]);
});

it('the warm-up of a long soak is one minute', () => {
  const [first] = splitThirds(
    values(1_200, (second) => second),
    [0, 1_200_000],
  );
  expect(first[0]).toBe(60);
});

it.each([
  ['an even p99', () => 20, true],
  ['a p99 that doubles', (second: number) => 20 + second, false],
  ['a slow start', (second: number) => (second < 10 ? 500 : 20), true],
  ['one slow value in a hundred of the last third', (second: number) => (second === 95 ? 500 : 20), true],
  ['five slow values in the last third', (second: number) => (second > 94 ? 500 : 20), false],
])('judges %s', (_, value, holds) => {
  // Ten values a second.
  const all = values(100, value).flatMap(({ atMs, value: ms }) =>
    Array.from({ length: 10 }, (_each, at) => ({ atMs: atMs + at * 100, value: at === 0 ? ms : 20 })),
  );
  expect(judgeP99(all, [0, 100_000]).holds).toBe(holds);
});

it('judges memory by the median, so that one collection does not count', () => {
  expect(
    judgeMemory(
      values(100, (second) => (second === 80 ? 900 : 200)),
      [0, 100_000],
    ).holds,
  ).toBe(true);
  expect(
    judgeMemory(
      values(100, (second) => 200 + second),
      [0, 100_000],
    ).holds,
  ).toBe(false);
});

it.each([
  ['proofs that wait for a few seconds', () => 9, true],
  ['proofs that waited early', (second: number) => (second < 60 ? 30 : 9), true],
  ['proofs that pile up', (second: number) => second / 4, false],
])('judges %s', (_, value, holds) => {
  expect(judgeProofs(values(100, value), [0, 100_000]).holds).toBe(holds);
});

it('a soak without values is not flat', () => {
  expect(judgeP99([], [0, 100_000]).holds).toBe(false);
  expect(judgeMemory([], [0, 100_000]).holds).toBe(false);
  expect(judgeProofs([], [0, 100_000]).holds).toBe(false);
});
