import { headerNames } from '@paid-inference/contract/constants';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Allowance, AllowanceRequest, AllowanceStore } from '../store/allowances.ts';
import { StoreUnavailable } from '../store/store.ts';
import { createCircuitBreaker } from '../types/circuit-breaker.ts';
import { type ManualClock, manualClock } from '../types/clock.ts';
import { unixSeconds } from '../types/units.ts';
import type { Admit } from './rate-limit.ts';
import { createSharedRateLimit, createSharedRefusalLimit } from './shared-rate-limit.ts';
import type { SharedLimitPorts } from './shared-windows.ts';

// With real timers the wait for the store could end during a test.
beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const waitMs = 250;
const never = new Promise<never>(() => undefined);
let clock: ManualClock;
let store: ReturnType<typeof createFakeStore>;
let changes: boolean[];
beforeEach(() => {
  clock = manualClock(1_800_000_000);
  store = createFakeStore();
  changes = [];
});

/** A store that obeys the law of `AllowanceStore` in memory. A test can hold its responses. */
function createFakeStore() {
  const windows = new Map<string, { taken: number; endsAt: number }>();
  const fake = {
    calls: [] as AllowanceRequest[],
    before: async (): Promise<void> => undefined,
    async takeAllowance(request: AllowanceRequest): Promise<Allowance> {
      fake.calls.push(request);
      await fake.before();
      const { limit, key, requestsMax, windowSeconds, wanted } = request;
      const now = clock.steadySeconds();
      const known = windows.get(`${limit} ${key}`);
      const window = known && known.endsAt > now ? known : { taken: 0, endsAt: now + windowSeconds };
      windows.set(`${limit} ${key}`, window);
      const granted = Math.max(0, Math.min(wanted, requestsMax - window.taken));
      window.taken += granted;
      const remaining = Math.max(0, requestsMax - window.taken);
      return { granted, remaining, endsAt: unixSeconds(window.endsAt) };
    },
  };
  return fake satisfies AllowanceStore;
}

/** The ports of one more process on the store. */
function portsOfProcess(): SharedLimitPorts {
  const settings = { failuresMax: 1, openMs: 2_000, openMsMax: 30_000 };
  const breaker = createCircuitBreaker(
    settings,
    clock,
    () => 0.5,
    (isOpen) => changes.push(isOpen),
  );
  return { store, breaker, clock, waitMs };
}

function startProcess(requestsMax: number): Admit {
  return createSharedRateLimit('payer', { requestsMax, windowSeconds: 60 }, portsOfProcess());
}

/** Sends requests one after the other, to the processes in turn. Returns how many were admitted. */
async function send(requests: number, ...processes: readonly Admit[]): Promise<number> {
  let admitted = 0;
  for (let at = 0; at < requests; at++) {
    const admission = await processes[at % processes.length]?.('alice');
    if (admission?.admitted) admitted++;
  }
  return admitted;
}

describe('A rate limit in a shared store (D-314)', () => {
  it('admits requests up to the limit, refuses the next, and returns the remaining count each time', async () => {
    const admit = startProcess(3);
    for (const left of ['2', '1', '0']) {
      const { admitted, headers } = await admit('alice');
      expect(admitted).toBe(true);
      expect(headers[headerNames.rateLimitRequests]).toBe('3');
      expect(headers[headerNames.rateLimitRemainingRequests]).toBe(left);
      expect(headers[headerNames.rateLimitReset]).toBe('60s');
    }
    clock.advance(20);
    const refused = await admit('alice');
    expect(refused).toMatchObject({ admitted: false, retryAfterSeconds: 40 });
    expect(refused.headers[headerNames.rateLimitRemainingRequests]).toBe('0');
    expect(await admit('bob')).toMatchObject({ admitted: true });
  });

  it('is one limit for all processes, whichever of them a client asks', async () => {
    expect(await send(200, startProcess(100), startProcess(100), startProcess(100))).toBe(100);
  });

  it('is one limit for requests that come to all processes at the same time', async () => {
    const processes = [startProcess(50), startProcess(50), startProcess(50), startProcess(50)];
    const asked = processes.flatMap((admit) => Array.from({ length: 40 }, () => admit('alice')));
    const admitted = (await Promise.all(asked)).filter((admission) => admission.admitted);
    expect(admitted.length).toBeLessThanOrEqual(50);
    // A process may get a few requests more than its clients send.
    expect(admitted.length).toBeGreaterThanOrEqual(46);
  });

  it('leaves a client that changes its process nearly all that it has not used', async () => {
    const [first, second] = [startProcess(100), startProcess(100)];
    expect(await send(10, first)).toBe(10);
    expect(await send(100, second)).toBeGreaterThanOrEqual(80);
  });

  it('asks the store for many requests at once, and never again once the limit is reached', async () => {
    const admit = startProcess(1_200);
    expect(await send(1_200, admit)).toBe(1_200);
    expect(store.calls.length).toBeLessThan(1_200 / 10);
    const asked = store.calls.length;
    expect(await send(1_000, admit)).toBe(0);
    expect(store.calls.length).toBe(asked);
  });

  it('begins anew with the next window', async () => {
    const [first, second] = [startProcess(5), startProcess(5)];
    expect(await send(20, first, second)).toBe(5);
    clock.advance(59);
    expect(await send(2, first, second)).toBe(0);
    clock.advance(1);
    expect(await send(20, first, second)).toBe(5);
  });

  it('asks for a key once at a time, and for all requests that wait', async () => {
    const admit = startProcess(100);
    const asked = Array.from({ length: 20 }, () => admit('alice'));
    expect(store.calls).toHaveLength(1);
    expect((await Promise.all(asked)).every(({ admitted }) => admitted)).toBe(true);
    expect(store.calls.map(({ wanted }) => wanted)).toEqual([1, 20]);
  });

  it('without a limit asks nothing', async () => {
    const admit = createSharedRateLimit('payer', null, portsOfProcess());
    expect(await admit('alice')).toMatchObject({ admitted: true, headers: {} });
    expect(store.calls).toEqual([]);
  });
});

describe('While the shared store is slow or away (D-315)', () => {
  it('a process counts alone after the wait, and later requests do not wait', async () => {
    store.before = () => never;
    const admit = startProcess(2);
    const first = admit('alice');
    await vi.advanceTimersByTimeAsync(waitMs);
    expect(await first).toMatchObject({ admitted: true });
    expect((await admit('alice')).admitted).toBe(true);
    expect((await admit('alice')).admitted).toBe(false);
    expect((await admit('bob')).admitted).toBe(true);
    expect(store.calls).toHaveLength(1);
    expect(changes).toEqual([true]);
  });

  it('a store that cannot be reached has the same effect at once', async () => {
    store.before = () => Promise.reject(new StoreUnavailable('gone'));
    const [first, second] = [startProcess(2), startProcess(2)];
    expect(await send(8, first, second)).toBe(4);
    expect(store.calls).toHaveLength(2);
  });

  it('one request tests the store after a rest, and the processes share the limit again', async () => {
    store.before = () => Promise.reject(new StoreUnavailable('gone'));
    const [first, second] = [startProcess(4), startProcess(4)];
    await send(2, first, second);
    store.before = async () => undefined;
    await send(2, first, second);
    expect(store.calls).toHaveLength(2);
    clock.advance(2);
    expect(await send(20, first, second)).toBe(4);
    expect(changes).toEqual([true, true, false, false]);
  });

  it('other requests do not wait for the one that tests a slow store', async () => {
    store.before = () => Promise.reject(new StoreUnavailable('gone'));
    const admit = startProcess(10);
    await admit('alice');
    store.before = () => never;
    clock.advance(2);
    const test = admit('alice');
    expect((await admit('bob')).admitted).toBe(true);
    await vi.advanceTimersByTimeAsync(waitMs);
    expect((await test).admitted).toBe(true);
    clock.advance(2);
    await admit('carol');
    expect(store.calls, 'the next test comes later').toHaveLength(2);
  });

  it('a late response is used later', async () => {
    const held = Promise.withResolvers<void>();
    store.before = () => held.promise;
    const admit = startProcess(3);
    const first = admit('alice');
    await vi.advanceTimersByTimeAsync(waitMs);
    expect((await first).admitted).toBe(true);
    held.resolve();
    await vi.advanceTimersByTimeAsync(0);
    const second = await admit('alice');
    expect(second.headers[headerNames.rateLimitRemainingRequests]).toBe('2');
    expect(store.calls).toHaveLength(1);
  });

  it('a defect of the store is no outage, and is thrown', async () => {
    store.before = () => Promise.reject(new Error('a defect'));
    await expect(startProcess(3)('alice')).rejects.toThrow('a defect');
  });
});

describe('Refused payments in a shared store (D-314)', () => {
  const limit = { requestsMax: 3, windowSeconds: 60 };
  const start = () => createSharedRefusalLimit('refusal', limit, portsOfProcess());

  it('count for all processes, and asking for the wait counts nothing and asks nothing', async () => {
    const [first, second] = [start(), start()];
    for (let asked = 0; asked < 5; asked++) expect(await first.findWait('a')).toBeNull();
    expect(store.calls).toEqual([]);
    await first.count('a');
    await second.count('a');
    expect(await first.findWait('a')).toBeNull();
    await first.count('a');
    clock.advance(20);
    expect(await first.findWait('a')).toEqual({ retryAfterSeconds: 40 });
    // The second process learns it with its next refusal.
    expect(await second.findWait('a')).toBeNull();
    await second.count('a');
    expect(await second.findWait('a')).toEqual({ retryAfterSeconds: 40 });
    expect(await second.findWait('b')).toBeNull();
    clock.advance(40);
    expect(await first.findWait('a')).toBeNull();
  });

  it('count for one process while the store is away', async () => {
    store.before = () => Promise.reject(new StoreUnavailable('gone'));
    const { count, findWait } = start();
    for (let refused = 0; refused < 2; refused++) await count('a');
    expect(await findWait('a')).toBeNull();
    await count('a');
    expect(await findWait('a')).toEqual({ retryAfterSeconds: 60 });
  });

  it('without a limit lead to no wait, and no call', async () => {
    const { count, findWait } = createSharedRefusalLimit('refusal', null, portsOfProcess());
    for (let refused = 0; refused < 9; refused++) await count('a');
    expect(await findWait('a')).toBeNull();
    expect(store.calls).toEqual([]);
  });
});
