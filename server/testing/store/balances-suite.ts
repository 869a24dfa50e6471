import { describe, expect, it } from 'vitest';
import { unixSeconds } from '../../types/units.ts';
import {
  availableTo,
  type CreateTestStore,
  createClaim,
  createReading,
  executed,
  inclusionAt,
  leaseFor,
  now,
  randomAddress,
  reserved,
  submitted,
  transactionBy,
} from './claims.ts';
import { useTestStore } from './use-test-store.ts';

/**
 * The amount that a payer may spend: the balance reading, less pending payments, after each end of a payment.
 */
export function describeBalances(createTestStore: CreateTestStore): void {
  describe('D-21: balance less everything pending', () => {
    const database = useTestStore(createTestStore);
    const relayer = randomAddress();

    it('is unknown without a reading, or with one that is too old', async () => {
      const claim = createClaim(database.payer, 1n);
      expect(await database.store.reserve(claim, null, now)).toEqual({ kind: 'balance-unknown' });
      const aged = createReading(10n, 100, unixSeconds(now - 3));
      expect(await database.store.reserve(claim, aged, now)).toEqual({ kind: 'balance-unknown' });
      expect(
        await database.store.reserve(claim, createReading(10n, 100, unixSeconds(now - 2)), now),
      ).toMatchObject({
        kind: 'reserved',
      });
    });

    it('keeps no row of payers who cannot pay, because keys cost nothing (D-140)', async () => {
      const rows = async () => {
        const [count] = await database.query(
          'SELECT (SELECT count(*) FROM payer_account) + (SELECT count(*) FROM payment) AS rows',
        );
        return Number(count?.['rows']);
      };
      const before = await rows();
      for (let payers = 0; payers < 20; payers++) {
        const claim = createClaim(randomAddress(), 2n);
        expect(await database.store.reserve(claim, null, now)).toEqual({ kind: 'balance-unknown' });
        for (const balance of [0n, 1n])
          expect(await database.store.reserve(claim, createReading(balance), now)).toEqual({
            kind: 'insufficient',
            available: balance,
          });
      }
      expect(await rows()).toBe(before);
      await reserved(database.store, createClaim(database.payer, 2n), createReading(2n));
      expect(await rows()).toBe(before + 2);
    });

    it('uses a reading for later claims until it is too old', async () => {
      await reserved(database.store, createClaim(database.payer, 1n), createReading(10n));
      await reserved(database.store, createClaim(database.payer, 1n), null);
      const later = unixSeconds(now + 3);
      expect(await database.store.reserve(createClaim(database.payer, 1n), null, later)).toEqual({
        kind: 'balance-unknown',
      });
    });

    it('covers exactly the balance, and returns the free amount when it does not', async () => {
      expect(await database.store.reserve(createClaim(database.payer, 11n), createReading(10n), now)).toEqual(
        {
          kind: 'insufficient',
          available: 10n,
        },
      );
      await reserved(database.store, createClaim(database.payer, 10n), createReading(10n));
      expect(await availableTo(database.store, database.payer)).toBe(0n);
    });

    it('is read again when a kept reading is too low, because the payer may have got funds', async () => {
      await reserved(database.store, createClaim(database.payer, 1n), createReading(1n));
      expect(await database.store.reserve(createClaim(database.payer, 5n), null, now)).toEqual({
        kind: 'balance-unknown',
      });
      await reserved(database.store, createClaim(database.payer, 5n), createReading(6n, 101));
    });

    it('is given back by release, failure and expiry, and kept by execution and submission', async () => {
      const payments = await Promise.all(
        [1n, 2n, 4n].map((value) =>
          reserved(database.store, createClaim(database.payer, value), createReading(10n)),
        ),
      );
      const [first, second, third] = payments.map(({ id }) => id) as [number, number, number];
      await database.store.release(first);
      expect(await availableTo(database.store, database.payer)).toBe(4n);
      await database.store.execute(second, '{}', null);
      await database.store.execute(third, '{}', null);
      await database.store.submit(await leaseFor(database.store, relayer), [third], transactionBy(relayer));
      expect(await availableTo(database.store, database.payer)).toBe(4n);
      await database.store.fail(second, 'insufficient_funds', null);
      expect(await availableTo(database.store, database.payer)).toBe(6n);
      await database.store.expire(third);
      expect(await availableTo(database.store, database.payer)).toBe(10n);
    });

    it.each([
      ['after the reading, which lacks it: deducted from the balance', 101, 7n],
      ['at the block of the reading, which has it: no longer pending', 100, 10n],
      ['before the reading: no longer pending', 99, 10n],
    ])('counts a settlement %s', async (_name, block, available) => {
      const { id } = await reserved(database.store, createClaim(database.payer, 3n), createReading(10n, 100));
      await database.store.execute(id, '{}', null);
      await database.store.settle([id], inclusionAt(block));
      expect(await availableTo(database.store, database.payer)).toBe(available);
    });

    it('rejects a reading from before the last settlement, and accepts one from its block', async () => {
      const { id } = await reserved(database.store, createClaim(database.payer, 3n), createReading(10n, 100));
      await database.store.execute(id, '{}', null);
      await database.store.settle([id], inclusionAt(105));
      await database.store.reserve(createClaim(database.payer, 1n << 60n), createReading(10n, 104), now);
      expect(await availableTo(database.store, database.payer)).toBe(7n);
      await database.store.reserve(createClaim(database.payer, 1n << 60n), createReading(9n, 105), now);
      expect(await availableTo(database.store, database.payer)).toBe(9n);
      await database.store.reserve(createClaim(database.payer, 1n << 60n), createReading(50n, 104), now);
      expect(await availableTo(database.store, database.payer)).toBe(9n);
    });

    it('is zero, not negative, for a balance below the pending amount', async () => {
      await reserved(database.store, createClaim(database.payer, 8n), createReading(10n, 100));
      expect(
        await database.store.reserve(createClaim(database.payer, 1n), createReading(5n, 101), now),
      ).toEqual({
        kind: 'insufficient',
        available: 0n,
      });
    });

    it('is unsettled, not insufficient, when the shortfall is at most the amount under way', async () => {
      const lease = await leaseFor(database.store);
      const { payment, transaction } = await submitted(database.store, lease, database.payer, 6n);
      await reserved(database.store, createClaim(database.payer, 90n), null);
      // The payer has 100. Pending payments hold 96, and the chain may have deducted 6 of these.
      const [ten, eleven] = [createClaim(database.payer, 10n), createClaim(database.payer, 11n)];
      expect(await database.store.reserve(ten, createReading(100n), now)).toEqual({ kind: 'unsettled' });
      expect(await database.store.reserve(eleven, createReading(100n), now)).toEqual({
        kind: 'insufficient',
        available: 4n,
      });
      // The chain has deducted them: 94 are left, and the 6 still count as pending.
      expect(
        await database.store.reserve(createClaim(database.payer, 4n), createReading(94n, 101), now),
      ).toEqual({
        kind: 'unsettled',
      });
      await database.store.settle([payment.id], inclusionAt(101, transaction.hash));
      await reserved(database.store, createClaim(database.payer, 4n), createReading(94n, 101));
      expect(
        await database.store.reserve(createClaim(database.payer, 1n), createReading(94n, 101), now),
      ).toMatchObject({
        kind: 'insufficient',
      });
    });

    it('counts claimed payments as under way, and unclaimed ones not', async () => {
      const { id } = await executed(database.store, database.payer, 8n, 10n);
      const claim = createClaim(database.payer, 3n);
      expect(await database.store.reserve(claim, createReading(10n), now)).toMatchObject({
        kind: 'insufficient',
      });
      const lease = await leaseFor(database.store);
      await database.store.claimExecuted(lease, 1_000, now);
      expect(await database.store.reserve(claim, createReading(10n), now)).toEqual({ kind: 'unsettled' });
      expect(
        await database.store.reserve(createClaim(randomAddress(), 3n), createReading(0n), now),
      ).toMatchObject({
        kind: 'insufficient',
      });
      await database.store.requeue(lease, [id]);
      expect(await database.store.reserve(claim, createReading(10n), now)).toMatchObject({
        kind: 'insufficient',
      });
    });

    it('is counted by payer and by asset', async () => {
      await reserved(database.store, createClaim(database.payer, 9n), createReading(10n));
      await reserved(
        database.store,
        createClaim(database.payer, 9n, { asset: randomAddress() }),
        createReading(10n),
      );
      await reserved(database.store, createClaim(randomAddress(), 9n), createReading(10n));
      expect(await availableTo(database.store, database.payer)).toBe(1n);
    });

    it('is exact just below 2^62, also for a balance of uint256', async () => {
      const huge = (1n << 62n) - 2n;
      const { id } = await reserved(
        database.store,
        createClaim(database.payer, huge),
        createReading((1n << 256n) - 1n),
      );
      expect(await database.store.find(id)).toMatchObject({ authorization: { value: huge } });
      await reserved(database.store, createClaim(database.payer, 1n), null);
      await database.store.execute(id, '{}', null);
      await database.store.settle([id], inclusionAt(99));
      const other = randomAddress();
      await reserved(database.store, createClaim(other, huge), createReading(huge));
      expect(await availableTo(database.store, other)).toBe(0n);
    });
  });
}
