import { expect, test } from 'vitest';
import { manualClock, systemClock } from './clock.ts';

test('A manual clock stands still until it is moved: wall clock and monotonic time', () => {
  const clock = manualClock(1_700_000_000);
  const startMs = clock.monotonicMs();
  expect(clock.nowSeconds()).toBe(1_700_000_000);
  clock.advance(5);
  expect(clock.nowSeconds()).toBe(1_700_000_005);
  expect(clock.monotonicMs() - startMs).toBe(5_000);
});

test('The system clock gives whole seconds and milliseconds that never run backwards', () => {
  expect(Number.isInteger(systemClock.nowSeconds())).toBe(true);
  const before = systemClock.monotonicMs();
  expect(systemClock.monotonicMs()).toBeGreaterThanOrEqual(before);
});
