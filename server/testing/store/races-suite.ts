import { describe, expect, it } from 'vitest';
import type { OpenStore } from '../../store/store.ts';
import { unixSeconds } from '../../types/units.ts';
import {
  availableTo,
  type CreateTestStore,
  completion,
  createClaim,
  createReading,
  executed,
  inclusionAt,
  leaseFor,
  now,
  randomAddress,
  reserved,
} from './claims.ts';
import { useTestStore } from './use-test-store.ts';

/** Properties under any interleaving, with several instances on one store. */
export function describeRaces(createTestStore: CreateTestStore): void {
  describe('With concurrent calls of several instances', () => {
    const database = useTestStore(createTestStore);

    async function databases(count: number): Promise<(at: number) => OpenStore> {
      const more = await Promise.all(Array.from({ length: count - 1 }, () => database.open()));
      const all = [database.store, ...more];
      return (at) => all[at % all.length] ?? database.store;
    }

    it('1000 claims on a balance for 10 reserve 10 (D-21)', async () => {
      const each = await databases(3);
      const results = await Promise.all(
        Array.from({ length: 1_000 }, (_, at) =>
          each(at).reserve(createClaim(database.payer, 7n), createReading(76n), now),
        ),
      );
      expect(results.filter(({ kind }) => kind === 'reserved')).toHaveLength(10);
      expect(results.filter(({ kind }) => kind === 'insufficient')).toHaveLength(990);
      expect(await availableTo(database.store, database.payer)).toBe(6n);
    });

    it('1000 claims of one nonce reserve one, and 999 are known (D-18)', async () => {
      const each = await databases(2);
      const claim = createClaim(database.payer, 1n);
      const results = await Promise.all(
        Array.from({ length: 1_000 }, (_, at) => {
          const request = { ...claim, fingerprint: at % 2 === 0 ? 'one' : 'other' };
          return each(at).reserve(request, createReading(1_000n), now);
        }),
      );
      expect(results.filter(({ kind }) => kind === 'reserved')).toHaveLength(1);
      expect(results.filter(({ kind }) => kind === 'known')).toHaveLength(999);
      expect(await availableTo(database.store, database.payer)).toBe(999n);
    });

    it('a released claim is reserved again once', async () => {
      const each = await databases(2);
      const claim = createClaim(database.payer, 1n);
      await database.store.release((await reserved(database.store, claim, createReading(5n))).id);
      const results = await Promise.all(
        Array.from({ length: 50 }, (_, at) => each(at).reserve(claim, null, now)),
      );
      expect(results.filter(({ kind }) => kind === 'reserved')).toHaveLength(1);
      expect(await availableTo(database.store, database.payer)).toBe(4n);
    });

    it('no executed payment is claimed by two relayers', async () => {
      const each = await databases(3);
      const ids = await Promise.all(
        Array.from({ length: 60 }, async (_, at) => (await executed(each(at), database.payer, 1n)).id),
      );
      const leases = await Promise.all(Array.from({ length: 6 }, (_, at) => leaseFor(each(at))));
      const claims = await Promise.all(
        Array.from({ length: 24 }, (_, at) => {
          const lease = leases[at % leases.length];
          if (lease === undefined) throw new Error('no lease');
          return each(at).claimExecuted(lease, 7, now);
        }),
      );
      const claimed = claims.flat().map(({ id }) => id);
      expect(claimed).toHaveLength(60);
      expect(new Set(claimed)).toEqual(new Set(ids));
    });

    it('one of twelve processes gets a lease', async () => {
      const each = await databases(3);
      const relayer = randomAddress();
      const leases = await Promise.all(
        Array.from({ length: 12 }, (_, at) =>
          each(at).leaseRelayer(relayer, `process ${at}`, unixSeconds(now + 60), now),
        ),
      );
      expect(leases.filter((lease) => lease !== null)).toEqual([{ relayer, fence: 1 }]);
    });

    it('three concurrent ends of a payment count it once, in any order', async () => {
      const each = await databases(3);
      const { id } = await executed(database.store, database.payer, 4n, 10n);
      const ends = await Promise.allSettled([
        each(0).settle([id], inclusionAt(101)),
        each(1).expire(id),
        each(2).settle([id], inclusionAt(101)),
      ]);
      const { state } = (await database.store.find(id)) ?? {};
      // A settled payment may still expire, when a reorganisation removed its block, and an expired payment may
      // settle. None counts twice.
      const [settled, expired, settledToo] = ends.map(({ status }) => status === 'fulfilled');
      expect(settled || settledToo).toBe(true);
      if (settled && settledToo) expect(expired).toBe(true);
      expect(await availableTo(database.store, database.payer)).toBe(state === 'settled' ? 6n : 10n);
    });

    it('batches that share payers and payments in any order neither deadlock nor lose a unit', async () => {
      const each = await databases(3);
      const payers = [database.payer, randomAddress(), randomAddress()];
      const payments = await Promise.all(
        Array.from({ length: 60 }, (_, at) => executed(each(at), payers[at % 3] ?? database.payer, 1n)),
      );
      const lease = await leaseFor(database.store);
      const ids = payments.map(({ id }) => id);
      await Promise.all([
        ...[0, 20, 40].map((from) => {
          const batch = ids.slice(from, from + 20);
          return each(from).settle(from === 20 ? batch.toReversed() : batch, inclusionAt(101));
        }),
        ...payers.map((payer, at) => each(at).reserve(createClaim(payer, 1n), createReading(100n), now)),
        each(1).claimExecuted(lease, 5, now),
      ]);
      for (const payer of payers) expect(await availableTo(database.store, payer)).toBe(79n);
    });

    it('the balance of a payer is correct while payments are released, executed and settled', async () => {
      const each = await databases(3);
      await Promise.all(
        Array.from({ length: 90 }, async (_, at) => {
          const { id } = await reserved(each(at), createClaim(database.payer, 2n), createReading(1_000n));
          if (at % 3 === 0) return each(at + 1).release(id);
          await each(at + 1).execute(id, completion, null);
          return at % 3 === 1 ? each(at + 2).settle([id], inclusionAt(101 + at)) : undefined;
        }),
      );
      // 30 released, 30 settled from the balance, 30 still pending.
      expect(await availableTo(database.store, database.payer)).toBe(1_000n - 120n);
    });
  });
}
