import { expect, test } from 'vitest';
import { createWeightedTurns } from './weighted-turns.ts';

function take(turns: number, weights: readonly number[], among = weights.map((_, place) => place)): string {
  const choose = createWeightedTurns(weights);
  return Array.from({ length: turns }, () => choose(among)).join('');
}

test('places with equal weights take turns (D-310)', () => {
  expect(take(6, [1, 1, 1])).toBe('012012');
});

test('a place gets as many turns as its weight says, spread evenly (D-310)', () => {
  expect(take(8, [3, 1])).toBe('00100010');
  expect(take(7, [5, 1, 1])).toBe('0010200');
});

test('a place that is left out gets no turn, and the others share its turns by their weights (D-310)', () => {
  expect(take(6, [9, 1, 2], [1, 2])).toBe('212212');
});

test('a place that returns gets only its share', () => {
  const choose = createWeightedTurns([1, 1]);
  for (let turn = 0; turn < 10; turn++) expect(choose([1])).toBe(1);
  expect([choose([0, 1]), choose([0, 1]), choose([0, 1]), choose([0, 1])]).toEqual([0, 1, 0, 1]);
});
