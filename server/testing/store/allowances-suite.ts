import { beforeEach, describe, expect, it } from 'vitest';
import type { AllowanceRequest, AllowanceStore } from '../../store/allowances.ts';
import { StoreUnavailable } from '../../store/store.ts';
import { unixSeconds } from '../../types/units.ts';
import { type CreateTestStore, randomAddress } from './claims.ts';
import { useTestStore } from './use-test-store.ts';

/** The tests of the rate limits in a store that several processes share. */
export function describeAllowances(createTestStore: CreateTestStore): void {
  describe('The allowances of a rate limit (D-314)', () => {
    const database = useTestStore(createTestStore);
    let key: string;
    beforeEach(() => {
      key = randomAddress();
    });

    function request(wanted: number, change: Partial<AllowanceRequest> = {}): AllowanceRequest {
      return { limit: 'payer', key, requestsMax: 10, windowSeconds: 60, wanted, ...change };
    }

    const take = (wanted: AllowanceRequest) => requireAllowances(database.store).takeAllowance(wanted);
    const endsAt = () => unixSeconds(database.clock.steadySeconds() + 60);

    it('are granted up to the limit, and nothing beyond', async () => {
      const end = endsAt();
      expect(await take(request(4))).toEqual({ granted: 4, remaining: 6, endsAt: end });
      expect(await take(request(5))).toEqual({ granted: 5, remaining: 1, endsAt: end });
      expect(await take(request(5))).toEqual({ granted: 1, remaining: 0, endsAt: end });
      expect(await take(request(1))).toEqual({ granted: 0, remaining: 0, endsAt: end });
    });

    it('are at most the limit also for the first request', async () => {
      expect(await take(request(99))).toMatchObject({ granted: 10, remaining: 0 });
    });

    it('are counted for each limit and each key', async () => {
      await take(request(10));
      expect(await take(request(1))).toMatchObject({ granted: 0 });
      expect(await take(request(1, { limit: 'address' }))).toMatchObject({ granted: 1 });
      expect(await take(request(1, { key: randomAddress() }))).toMatchObject({ granted: 1 });
    });

    it('begin anew in the next window, which begins with a request', async () => {
      await take(request(10));
      database.clock.advance(59);
      expect(await take(request(1))).toMatchObject({ granted: 0 });
      database.clock.advance(11);
      expect(await take(request(3))).toEqual({ granted: 3, remaining: 7, endsAt: endsAt() });
    });

    it('follow a limit that changed within a window', async () => {
      await take(request(10));
      expect(await take(request(9, { requestsMax: 12 }))).toMatchObject({
        granted: 2,
        remaining: 0,
      });
      expect(await take(request(9))).toMatchObject({ granted: 0, remaining: 0 });
    });

    it('never exceed the limit for many processes that take at the same time', async () => {
      const processes = await Promise.all(Array.from({ length: 4 }, () => database.open()));
      const keys = Array.from({ length: 8 }, () => randomAddress());
      const granted = new Map<string, number>();
      for (let round = 0; round < 5; round++)
        await Promise.all(
          processes.map(requireAllowances).flatMap((store) =>
            keys.toReversed().map(async (each) => {
              const taken = await store.takeAllowance(request(1, { key: each, requestsMax: 13 }));
              granted.set(each, (granted.get(each) ?? 0) + taken.granted);
            }),
          ),
        );
      expect([...granted.values()]).toEqual(keys.map(() => 13));
    });

    it('leave no rows of windows that ended', async () => {
      const count = async () =>
        Number((await database.query('SELECT count(*) AS rows FROM rate_window'))[0]?.['rows']);
      const takeMany = () =>
        Promise.all(Array.from({ length: 256 }, () => take(request(1, { key: randomAddress() }))));
      for (let round = 0; round < 4; round++) {
        await takeMany();
        database.clock.advance(61);
      }
      await takeMany();
      await expect.poll(count).toBeLessThan(600);
    });

    it('are refused by a closed store with a fault that says so', async () => {
      const store = await database.open();
      await store.close();
      await expect(requireAllowances(store).takeAllowance(request(1))).rejects.toBeInstanceOf(
        StoreUnavailable,
      );
    });
  });
}

function requireAllowances({ takeAllowance }: Partial<AllowanceStore>): AllowanceStore {
  if (takeAllowance === undefined) throw new Error('The store has no allowances.');
  return { takeAllowance };
}
