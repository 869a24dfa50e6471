import { beforeEach, describe, expect, it } from 'vitest';
import { changeAll, changesMax } from '../../store/bulk.ts';
import { unixSeconds } from '../../types/units.ts';
import { type CreateTestStore, executed, inclusionAt, now } from './claims.ts';
import { useTestStore } from './use-test-store.ts';

/** Changes of many payments in one call (D-393). */
export function describeBulk(createTestStore: CreateTestStore): void {
  describe(`A call that concerns more than ${changesMax} payments`, () => {
    const database = useTestStore(createTestStore);
    const later = unixSeconds(now + 100_000);
    let last: number;
    let others: number[];
    beforeEach(async () => {
      await changeAll(() => database.store.dropCompletionsBefore(later), new AbortController().signal);
      const count = changesMax + 1;
      const ids: number[] = [];
      while (ids.length < count)
        ids.push((await executed(database.store, database.payer, 1n, BigInt(count))).id);
      [last = 0, ...others] = ids;
    });

    it('makes so many settlements final, the lowest block first', async () => {
      await database.store.settle([last], inclusionAt(102));
      await database.store.settle(others, inclusionAt(101));
      expect(await database.store.finalise(102)).toBe(changesMax);
      expect(await database.store.find(last)).toMatchObject({ state: 'settled' });
      expect(await database.store.finalise(102)).toBe(1);
      expect(await database.store.find(last)).toMatchObject({ state: 'final' });
    });

    it('deletes so many completions, the oldest settlement first', async () => {
      await database.store.settle(others, inclusionAt(101));
      database.clock.advance(1);
      await database.store.settle([last], inclusionAt(102));
      expect(await database.store.dropCompletionsBefore(later)).toBe(changesMax);
      expect(await database.store.find(last)).toMatchObject({ completion: expect.any(String) });
      expect(await database.store.dropCompletionsBefore(later)).toBe(1);
    });

    it('deletes so many completions of refused payments', async () => {
      for (const id of [last, ...others]) await database.store.fail(id, 'invalid_transaction_state', null);
      expect(await database.store.dropRefusedCompletionsBefore(later)).toBe(changesMax);
      expect(await database.store.dropRefusedCompletionsBefore(later)).toBe(1);
    });
  });
}
