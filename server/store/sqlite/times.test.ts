import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, expect, it, onTestFinished } from 'vitest';
import { createClaim, createReading, inclusionAt, now, randomAddress } from '../../testing/store/claims.ts';
import { insertRefused } from '../../testing/store/insert-refused.ts';
import { createTestSqliteStore, type TestSqliteStore } from '../../testing/store/sqlite-store.ts';
import { type ManualClock, manualClock } from '../../types/clock.ts';
import { unixSeconds } from '../../types/units.ts';
import { correctionsMax } from '../bulk.ts';
import { owedKeepSeconds } from '../owed.ts';
import type { SqliteStore } from './operations.ts';
import { openSqliteStore } from './sqlite-store.ts';

const day = 86_400;

let testStore: TestSqliteStore;
beforeEach(async () => {
  testStore = await createTestSqliteStore();
});
afterEach(() => testStore.remove());

/** Opens the store as a process does whose steady clock differs by these seconds, and closes it. */
async function run<T>(
  offSeconds: number,
  use: (store: SqliteStore, clock: ManualClock) => Promise<T>,
): Promise<T> {
  const clock = manualClock(now + offSeconds);
  const store = await openSqliteStore({
    path: testStore.path,
    clock,
    busyTimeoutMs: 5_000,
    balanceAgeMaxSeconds: 2,
  });
  await store.correctTimes(clock.steadySeconds(), 60);
  try {
    return await use(store, clock);
  } finally {
    await store.close();
  }
}

it.each([
  ['ahead', 30 * day],
  ['behind', -30 * day],
  ['right', 0],
] as const)(
  'After a restart an owed payment is run again at once and kept for its time; the clock of the last run was %s (D-208, D-272)',
  async (_name, off) => {
    const id = await run(off, async (store, clock) => {
      const leaseUntil = unixSeconds(clock.steadySeconds() + 60);
      const reading = createReading(100n, 100, clock.steadySeconds());
      const claim = createClaim(randomAddress(), 1n, { leaseUntil });
      const reserved = await store.reserve(claim, reading, clock.steadySeconds());
      if (reserved.kind !== 'reserved') throw new Error(`not reserved but ${reserved.kind}`);
      await store.owe(reserved.payment.id);
      await store.settle([reserved.payment.id], inclusionAt(101));
      return reserved.payment.id;
    });
    await run(0, async (store, clock) => {
      const taken = await store.takeOwed(id, unixSeconds(clock.steadySeconds() + 60), clock.steadySeconds());
      if (taken === null) throw new Error('the payment was not taken');
      await store.endOwedRun(id, taken.leaseUntil);
      const drop = () => store.dropOwedBefore(unixSeconds(clock.steadySeconds() - owedKeepSeconds));
      expect(await drop()).toEqual([]);
      clock.advance(owedKeepSeconds);
      expect(await drop()).toEqual([]);
      clock.advance(1);
      expect(await drop()).toMatchObject([{ id }]);
    });
  },
);

it('After a restart a debt blocks its payer for the usual time, also when another debt is paid; the last clock was ahead (D-208)', async () => {
  const payer = randomAddress();
  const reserve = (store: SqliteStore, clock: ManualClock) => {
    const claim = createClaim(payer, 1n, { leaseUntil: unixSeconds(clock.steadySeconds() + 60) });
    return store.reserve(claim, createReading(100n, 102, clock.steadySeconds()), clock.steadySeconds());
  };
  const ids = await run(30 * day, async (store, clock) => {
    const reserved = [await reserve(store, clock), await reserve(store, clock)];
    const failed = reserved.map((each) => (each.kind === 'reserved' ? each.payment.id : -1));
    const blockedUntil = unixSeconds(clock.steadySeconds() + 60);
    for (const id of failed) await store.execute(id, 'a completion', null);
    for (const id of failed) await store.fail(id, 'insufficient_funds', { blockedUntil });
    return failed;
  });
  await run(0, async (store, clock) => {
    await store.settle(ids.slice(0, 1), inclusionAt(101));
    expect(await reserve(store, clock)).toMatchObject({ kind: 'blocked' });
    clock.advance(61);
    expect(await reserve(store, clock)).toMatchObject({ kind: 'reserved' });
  });
});

it.each([false, true])(
  'A start corrects the times of very many refused payments in several operations; with completions: %s (D-384)',
  async (hasCompletions) => {
    await run(0, async () => undefined);
    insertRefused(testStore.path, correctionsMax + 1, now + 30 * day, hasCompletions);
    const store = await openSqliteStore({
      path: testStore.path,
      clock: manualClock(now),
      busyTimeoutMs: 5_000,
      balanceAgeMaxSeconds: 2,
    });
    onTestFinished(() => store.close());
    const corrected = [await store.correctTimes(now, 60), await store.correctTimes(now, 60)];
    expect(corrected).toEqual([correctionsMax, 1]);
    expect(await store.correctTimes(now, 60)).toBe(0);
    const database = new DatabaseSync(testStore.path, { readOnly: true });
    onTestFinished(() => database.close());
    const times = database.prepare('SELECT DISTINCT checked_at, updated_at FROM payment').all();
    // Only a completion is dropped for its age.
    const updatedAt = hasCompletions ? now - 10 : now + 30 * day - 10;
    expect(times).toEqual([{ checked_at: now, updated_at: updatedAt }]);
  },
);
