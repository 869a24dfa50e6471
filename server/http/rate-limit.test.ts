import { headerNames } from '@paid-inference/contract/constants';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createRateLimit } from './rate-limit.ts';

// A window that ends while a test is held up would be another window.
beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

test('D-32: so many requests are admitted, the next one waits, and every answer says how many are left', async () => {
  const admit = createRateLimit({ requestsMax: 3, windowSeconds: 60 });
  for (const left of ['2', '1', '0']) {
    const admission = await admit('a');
    expect(admission.admitted).toBe(true);
    expect(admission.headers[headerNames.rateLimitRequests]).toBe('3');
    expect(admission.headers[headerNames.rateLimitRemainingRequests]).toBe(left);
    expect(admission.headers[headerNames.rateLimitReset]).toMatch(/^\d+s$/);
  }
  const refused = await admit('a');
  expect(refused.admitted).toBe(false);
  expect(refused.headers[headerNames.rateLimitRemainingRequests]).toBe('0');
  expect(refused.retryAfterSeconds).toBe(60);
});

test('One key does not use up what another has, nor does one limit what another counts', async () => {
  const admit = createRateLimit({ requestsMax: 1, windowSeconds: 60 });
  expect((await admit('a')).admitted).toBe(true);
  expect((await admit('a')).admitted).toBe(false);
  expect((await admit('b')).admitted).toBe(true);
  expect((await createRateLimit({ requestsMax: 1, windowSeconds: 60 })('a')).admitted).toBe(true);
});

test('Requests at the same moment are counted each', async () => {
  const admit = createRateLimit({ requestsMax: 10, windowSeconds: 60 });
  const admissions = await Promise.all(Array.from({ length: 100 }, () => admit('a')));
  expect(admissions.filter(({ admitted }) => admitted)).toHaveLength(10);
});

test('When the window is over, there is a new allowance; a refusal in between does not put it off', async () => {
  const admit = createRateLimit({ requestsMax: 1, windowSeconds: 1 });
  await admit('a');
  expect((await admit('a')).retryAfterSeconds).toBe(1);
  await vi.advanceTimersByTimeAsync(1_000);
  expect((await admit('a')).admitted).toBe(true);
});

test('Without a limit everybody is admitted, and no header speaks of one', async () => {
  const admit = createRateLimit(null);
  for (let at = 0; at < 100; at++) expect(await admit('a')).toMatchObject({ admitted: true, headers: {} });
});
