import { afterEach, beforeEach, expect, it } from 'vitest';
import { createClaim, createReading, inclusionAt, now, randomAddress } from '../../testing/store/claims.ts';
import { createTestSqliteStore, type TestSqliteStore } from '../../testing/store/sqlite-store.ts';
import { type ManualClock, manualClock } from '../../types/clock.ts';
import { unixSeconds } from '../../types/units.ts';
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
