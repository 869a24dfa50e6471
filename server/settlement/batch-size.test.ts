import { expect, it } from 'vitest';
import { adjustBatchMax } from './batch-size.ts';

it.each([
  ['a failed batch halves the number of its payments', 100, 100, true, 50],
  ['an odd number is rounded down', 100, 3, true, 1],
  ['a failed single payment says nothing about batches', 50, 1, true, 50],
  ['a large batch that fails late raises no number', 2, 50, true, 2],
  ['a batch that holds doubles the number', 25, 25, false, 50],
  ['a single payment that holds doubles it too', 1, 1, false, 2],
  ['the number never exceeds settlementBatchMax', 64, 64, false, 100],
])('%s', (_name, batchMax, payments, hasFailed, next) => {
  expect(adjustBatchMax(batchMax, { payments, hasFailed }, 100)).toBe(next);
});
