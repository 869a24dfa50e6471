import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { type PaymentOutcome, type PaymentRecord, StoreUnavailable } from '../store/store.ts';
import { systemClock } from '../types/clock.ts';
import { createSignal } from '../types/signal.ts';
import type { Bytes32 } from '../types/units.ts';
import { createSettlementSubscribers, type SubscribersPorts } from './settlement-subscribers.ts';
import type { Settlement } from './settler.ts';

const txHash = `0x${'ab'.repeat(32)}` as Bytes32;

/** Subscribers on a store that responds to each read with `read`. */
function subscribe(read: (ids: readonly number[]) => readonly PaymentOutcome[]) {
  const reads: (readonly number[])[] = [];
  const readOutcomes = async (ids: readonly number[]) => {
    reads.push(ids);
    return read(ids);
  };
  const ports = {
    store: { readOutcomes },
    work: createSignal(),
    closing: new AbortController().signal,
    settlementWaitMs: 30_000,
    storePollMs: 20,
    clock: systemClock,
  } as unknown as SubscribersPorts;
  const { waitFor, waiting, giveWay, announce, follow } = createSettlementSubscribers(ports);
  const wait = (id: number, site = 'a', keepsPlace = false) => {
    const authorization = { from: `0x${id}` };
    return waitFor({ id, state: 'executed', authorization } as PaymentRecord, { keepsPlace, site });
  };
  return { reads, wait, waiting, giveWay, announce, follow };
}

const settled = (id: number): PaymentOutcome => ({ id, state: 'settled', txHash, failure: null });
const ids = Array.from({ length: 64 }, (_, at) => at + 1);

it('reads the store once for all payments that wait', async () => {
  const { reads, wait } = subscribe((read) => read.map(settled));
  const settlements = await Promise.all(ids.map((id) => wait(id)));
  expect(settlements).toEqual(ids.map(() => ({ state: 'settled', txHash })));
  expect(reads).toEqual([ids]);
  expect(await wait(65), 'a later payment starts the reads again').toEqual({ state: 'settled', txHash });
});

it('waits on while the store is unavailable or has not settled the payment', async () => {
  let reads = 0;
  const { wait } = subscribe((read) => {
    reads += 1;
    if (reads === 1) throw new StoreUnavailable('the store is away');
    return read.map((id) => (reads === 2 ? { ...settled(id), state: 'submitted' } : settled(id)));
  });
  expect(await wait(1)).toEqual({ state: 'settled', txHash });
  expect(reads).toBe(3);
});

it('ends the oldest wait of the site with the most, and the settlement goes on (D-359)', async () => {
  let isSettled = false;
  const { wait, waiting, giveWay } = subscribe((read) => (isSettled ? read.map(settled) : []));
  // A live stream has its place until the model ends.
  const stream = wait(9, 'b', true);
  expect([waiting(), giveWay()]).toEqual([0, false]);
  const one = wait(1, 'a');
  const [first, second] = [wait(2, 'b'), wait(3, 'b')];
  expect(waiting()).toBe(3);
  expect(giveWay()).toBe(true);
  expect(await first).toEqual({ state: 'unknown' });
  expect(waiting()).toBe(2);
  const again = wait(2, 'b');
  isSettled = true;
  for (const each of [one, second, again, stream]) expect(await each).toMatchObject({ state: 'settled' });
  expect(waiting()).toBe(0);
});

it('tells the end of a followed payment once, also if no request waits for it any more (D-227)', () => {
  const { announce, follow } = subscribe(() => []);
  const ends: Settlement[] = [];
  follow(1, (settlement) => ends.push(settlement));
  const refused = { state: 'refused', reason: 'insufficient_funds' } as const;
  announce(1, { state: 'unknown' });
  announce(2, refused);
  expect(ends).toEqual([]);
  for (let told = 0; told < 2; told++) announce(1, refused);
  expect(ends).toEqual([refused]);
});

it('throws a defect of the store to each request that waits', async () => {
  const { wait } = subscribe(() => {
    throw new TypeError('a defect');
  });
  for (const waited of await Promise.allSettled([wait(1), wait(2)]))
    expect(waited).toMatchObject({ status: 'rejected', reason: expect.any(TypeError) });
});

/** Refused payments that are asked about at a node that waits. */
function openChecks() {
  const held = Promise.withResolvers<void>();
  let calls = 0;
  const call = async () => {
    calls += 1;
    await held.promise;
    return { ok: false, fault: { kind: 'unavailable', message: 'the node is away' } };
  };
  const ports = {
    rpc: { call },
    clock: systemClock,
    settlementWaitMs: 30_000,
  } as unknown as SubscribersPorts;
  const { waitFor, waiting, giveWay } = createSettlementSubscribers(ports);
  let payers = 0;
  const ask = (site: string) => {
    const authorization = { from: `0x${++payers}` };
    const refused = { state: 'failed', failure: 'insufficient_funds', completion: 'kept', authorization };
    return waitFor(refused as PaymentRecord, { site });
  };
  return { ask, waiting, giveWay, calls: () => calls, open: () => held.resolve() };
}

it('asks the chain about at most four refused payments of one site at once (D-227)', async () => {
  const { ask, waiting, giveWay, calls, open } = openChecks();
  const crowd = Array.from({ length: 20 }, () => ask('a'));
  await nextTurn();
  expect(calls()).toBe(4);
  const other = ask('b');
  await nextTurn();
  expect(calls()).toBe(5);
  open();
  expect(await Promise.all([other, ...crowd])).toEqual(Array(21).fill({ state: 'unknown' }));
  expect(calls()).toBe(21);
  expect([waiting(), giveWay()]).toEqual([0, false]);
});

it('lets a request give way that waits to ask the chain about a refused payment (D-359)', async () => {
  const { ask, waiting, giveWay, calls, open } = openChecks();
  const crowd = Array.from({ length: 9 }, () => ask('a'));
  const other = ask('b');
  await nextTurn();
  expect(waiting()).toBe(10);
  for (let left = 0; left < 8; left++) expect(giveWay()).toBe(true);
  expect(await Promise.all(crowd.slice(0, 8))).toEqual(Array(8).fill({ state: 'unknown' }));
  open();
  expect(await Promise.all([crowd[8], other])).toEqual(Array(2).fill({ state: 'unknown' }));
  // Four were asked, and four left before their turn.
  expect(calls()).toBe(6);
});
