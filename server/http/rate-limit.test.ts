import { headerNames } from '@paid-inference/contract/constants';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { systemClock } from '../types/clock.ts';
import { clientNetwork } from './client-network.ts';
import {
  countOnce,
  countSites,
  countSitesOfRefusals,
  createRateLimit,
  createRefusalLimit,
} from './rate-limit.ts';

// With real timers the window could end during a test.
beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

test('D-32: admits requests up to the limit, refuses the next, and returns the remaining count each time', async () => {
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

test('Keys are counted apart, and so are two limits', async () => {
  const admit = createRateLimit({ requestsMax: 1, windowSeconds: 60 });
  expect((await admit('a')).admitted).toBe(true);
  expect((await admit('a')).admitted).toBe(false);
  expect((await admit('b')).admitted).toBe(true);
  expect((await createRateLimit({ requestsMax: 1, windowSeconds: 60 })('a')).admitted).toBe(true);
});

const limitOfThree = { requestsMax: 3, windowSeconds: 60 } as const;
/** Networks of one IPv6 site (D-224). */
const networks = Array.from({ length: 20 }, (_, at) => clientNetwork(`2001:db8:1:${at}::1`));

test('D-133: the networks of one site have as much as eight of them', async () => {
  const admit = countSites(createRateLimit(limitOfThree), limitOfThree);
  let admitted = 0;
  for (const network of networks)
    for (let asked = 0; asked < 4; asked += 1) if ((await admit(network)).admitted) admitted += 1;
  expect(admitted).toBe(24);
  for (const other of ['203.0.113.7', clientNetwork('2001:db8:2::1')])
    for (let asked = 0; asked < 3; asked += 1) expect((await admit(other)).admitted).toBe(true);
});

test('D-227: the networks of one site have as many refusals as eight of them', async () => {
  const { findWait, count } = countSitesOfRefusals(createRefusalLimit(limitOfThree), limitOfThree);
  let counted = 0;
  for (const network of networks)
    for (let asked = 0; asked < 3; asked += 1) if (await count(network)) counted += 1;
  expect(counted).toBe(24);
  expect(await findWait(clientNetwork('2001:db8:1:ffff::1'))).toEqual({ retryAfterSeconds: 60 });
  expect(await findWait(clientNetwork('2001:db8:2::1'))).toBeNull();
  expect(await findWait('203.0.113.7')).toBeNull();
  expect(await count('203.0.113.7')).toBe(true);
});

test('Counts simultaneous requests one by one', async () => {
  const admit = createRateLimit({ requestsMax: 10, windowSeconds: 60 });
  const admissions = await Promise.all(Array.from({ length: 100 }, () => admit('a')));
  expect(admissions.filter(({ admitted }) => admitted)).toHaveLength(10);
});

test('A new window restores the limit, and a refusal does not prolong the window', async () => {
  const admit = createRateLimit({ requestsMax: 1, windowSeconds: 1 });
  await admit('a');
  expect((await admit('a')).retryAfterSeconds).toBe(1);
  await vi.advanceTimersByTimeAsync(1_000);
  expect((await admit('a')).admitted).toBe(true);
});

test('Without a limit every request is admitted without rate-limit headers', async () => {
  const admit = createRateLimit(null);
  for (let at = 0; at < 100; at++) expect(await admit('a')).toMatchObject({ admitted: true, headers: {} });
});

test('D-227: a refusal limit waits for the end of the window once it is reached, and asking counts nothing', async () => {
  const { findWait, count } = createRefusalLimit({ requestsMax: 2, windowSeconds: 60 });
  for (let asked = 0; asked < 5; asked++) expect(await findWait('a')).toBeNull();
  await count('a');
  expect(await findWait('a')).toBeNull();
  await vi.advanceTimersByTimeAsync(20_000);
  // Requests in progress may exceed the limit. They do not prolong the window.
  for (let refused = 0; refused < 3; refused++) await count('a');
  expect(await findWait('a')).toEqual({ retryAfterSeconds: 40 });
  expect(await findWait('b')).toBeNull();
  await vi.advanceTimersByTimeAsync(40_000);
  expect(await findWait('a')).toBeNull();
});

test('D-227: without a limit no refusal leads to a wait', async () => {
  const { findWait, count } = createRefusalLimit(null);
  for (let at = 0; at < 100; at++) await count('a');
  expect(await findWait('a')).toBeNull();
});

test('D-340: a request counts once, however many of its checks refuse it', async () => {
  const refusals = createRefusalLimit({ requestsMax: 2, windowSeconds: 60 });
  const { findWait, count } = countOnce(refusals);
  await Promise.all([count('a'), count('a'), count('a')]);
  expect(await findWait('a')).toBeNull();
  await countOnce(refusals).count('a');
  expect(await findWait('a')).toEqual({ retryAfterSeconds: 60 });
});

test.each([-3_600, 3_600])(
  'D-344: no wait exceeds the window after the clock steps by %i s',
  async (seconds) => {
    const admit = createRateLimit({ requestsMax: 1, windowSeconds: 60 });
    const { findWait, count } = createRefusalLimit({ requestsMax: 1, windowSeconds: 60 });
    await admit('a');
    await count('a');
    vi.setSystemTime((systemClock.nowSeconds() + seconds) * 1_000);
    const { retryAfterSeconds, headers } = await admit('a');
    expect(retryAfterSeconds).toBeLessThanOrEqual(60);
    expect(Number.parseInt(headers[headerNames.rateLimitReset] ?? '', 10)).toBeLessThanOrEqual(60);
    expect((await findWait('a'))?.retryAfterSeconds).toBeLessThanOrEqual(60);
  },
);

test('D-347: remembers the newest keys only, so that many networks do not fill the memory', async () => {
  const admit = createRateLimit({ requestsMax: 1, windowSeconds: 60 }, 3);
  const { findWait, count } = createRefusalLimit({ requestsMax: 1, windowSeconds: 60 }, 3);
  for (const key of ['a', 'b', 'c', 'd']) {
    await admit(key);
    await count(key);
  }
  expect([(await admit('b')).admitted, (await admit('a')).admitted]).toEqual([false, true]);
  expect([await findWait('b'), await findWait('a')]).toEqual([{ retryAfterSeconds: 60 }, null]);
});
