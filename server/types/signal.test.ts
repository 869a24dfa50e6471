import { expect, test } from 'vitest';
import { createSignal } from './signal.ts';

const never = new AbortController().signal;

test('a wait ends at the next notification, and says so', async () => {
  const signal = createSignal();
  const waiting = [signal.wait(60_000, never), signal.wait(60_000, never)];
  signal.notify();
  expect(await Promise.all(waiting)).toEqual([true, true]);
});

test('a missed notification ends one later wait at once', async () => {
  const signal = createSignal();
  signal.notify();
  signal.notify();
  expect(await signal.wait(60_000, never)).toBe(true);
  expect(await signal.wait(1, never)).toBe(false);
});

test('a wait without a notification ends after its time, or when closing aborts', async () => {
  const signal = createSignal();
  expect(await signal.wait(1, never)).toBe(false);
  expect(await signal.wait(60_000, AbortSignal.abort())).toBe(false);
});
