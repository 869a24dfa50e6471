import { expect, test } from 'vitest';
import { createBudget } from './budget.ts';

test('A budget can be spent to its last unit, but not beyond', () => {
  const budget = createBudget(10n);
  expect(budget.reserve(7n)).not.toBeNull();
  expect(budget.reserve(4n)).toBeNull();
  expect(budget.reserve(3n)).not.toBeNull();
  expect(budget.reserve(1n)).toBeNull();
  expect(budget.reserved()).toBe(10n);
});

test('A released amount can be reserved again once', () => {
  const budget = createBudget(10n);
  const first = budget.reserve(10n);
  first?.release();
  first?.release();
  expect(budget.reserved()).toBe(0n);
  expect(budget.reserve(10n)).not.toBeNull();
  expect(budget.reserve(1n)).toBeNull();
});
