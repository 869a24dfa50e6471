import { describe, expect, it } from 'vitest';
import { unixSeconds } from '../vocabulary/units.ts';
import {
  availableTo,
  type CreateTestStore,
  claimOf,
  executed,
  inclusionAt,
  leaseFor,
  now,
  randomAddress,
  readingOf,
  reserved,
  submitted,
  transactionBy,
} from './test-claims.ts';
import { useTestStore } from './use-test-store.ts';

/** What a payer may still spend: by which reading, less what is pending, and what each end of a payment does to it. */
export function describeBalances(createTestStore: CreateTestStore): void {
  describe('D-21: balance less everything pending', () => {
    const door = useTestStore(createTestStore);
    const relayer = randomAddress();

    it('without a reading nothing is decided, nor with one that is too old', async () => {
      const claim = claimOf(door.payer, 1n);
      expect(await door.store.reserve(claim, null, now)).toEqual({ kind: 'balance-unknown' });
      const aged = readingOf(10n, 100, unixSeconds(now - 3));
      expect(await door.store.reserve(claim, aged, now)).toEqual({ kind: 'balance-unknown' });
      expect(await door.store.reserve(claim, readingOf(10n, 100, unixSeconds(now - 2)), now)).toMatchObject({
        kind: 'reserved',
      });
    });

    it('of payers who cannot pay, no row is kept: keys cost nothing (D-140)', async () => {
      const rows = async () => {
        const [count] = await door.query(
          'SELECT (SELECT count(*) FROM payer_account) + (SELECT count(*) FROM payment) AS rows',
        );
        return Number(count?.['rows']);
      };
      const before = await rows();
      for (let payers = 0; payers < 20; payers++) {
        const claim = claimOf(randomAddress(), 2n);
        expect(await door.store.reserve(claim, null, now)).toEqual({ kind: 'balance-unknown' });
        for (const balance of [0n, 1n])
          expect(await door.store.reserve(claim, readingOf(balance), now)).toEqual({
            kind: 'insufficient',
            available: balance,
          });
      }
      expect(await rows()).toBe(before);
      await reserved(door.store, claimOf(door.payer, 2n), readingOf(2n));
      expect(await rows()).toBe(before + 2);
    });

    it('a reading serves the claims behind it until it is old', async () => {
      await reserved(door.store, claimOf(door.payer, 1n), readingOf(10n));
      await reserved(door.store, claimOf(door.payer, 1n), null);
      const later = unixSeconds(now + 3);
      expect(await door.store.reserve(claimOf(door.payer, 1n), null, later)).toEqual({
        kind: 'balance-unknown',
      });
    });

    it('covers exactly the balance, and says how much is free when it does not', async () => {
      expect(await door.store.reserve(claimOf(door.payer, 11n), readingOf(10n), now)).toEqual({
        kind: 'insufficient',
        available: 10n,
      });
      await reserved(door.store, claimOf(door.payer, 10n), readingOf(10n));
      expect(await availableTo(door.store, door.payer)).toBe(0n);
    });

    it('too little by a kept reading is asked again, for the payer may have topped up', async () => {
      await reserved(door.store, claimOf(door.payer, 1n), readingOf(1n));
      expect(await door.store.reserve(claimOf(door.payer, 5n), null, now)).toEqual({
        kind: 'balance-unknown',
      });
      await reserved(door.store, claimOf(door.payer, 5n), readingOf(6n, 101));
    });

    it('given back by release, failure and expiry, kept by execution and submission', async () => {
      const payments = await Promise.all(
        [1n, 2n, 4n].map((value) => reserved(door.store, claimOf(door.payer, value), readingOf(10n))),
      );
      const [first, second, third] = payments.map(({ id }) => id) as [number, number, number];
      await door.store.release(first);
      expect(await availableTo(door.store, door.payer)).toBe(4n);
      await door.store.execute(second, '{}', null);
      await door.store.execute(third, '{}', null);
      await door.store.submit(await leaseFor(door.store, relayer), [third], transactionBy(relayer));
      expect(await availableTo(door.store, door.payer)).toBe(4n);
      await door.store.fail(second, 'insufficient_funds', null);
      expect(await availableTo(door.store, door.payer)).toBe(6n);
      await door.store.expire(third);
      expect(await availableTo(door.store, door.payer)).toBe(10n);
    });

    it.each([
      ['after the reading, which does not know of it: gone from the balance', 101, 7n],
      ['at the block of the reading, which knows of it: only no longer pending', 100, 10n],
      ['before the reading: only no longer pending', 99, 10n],
    ])('settled %s', async (_name, block, available) => {
      const { id } = await reserved(door.store, claimOf(door.payer, 3n), readingOf(10n, 100));
      await door.store.execute(id, '{}', null);
      await door.store.settle([id], inclusionAt(block));
      expect(await availableTo(door.store, door.payer)).toBe(available);
    });

    it('a reading from before the last settlement is not believed, one from its block is', async () => {
      const { id } = await reserved(door.store, claimOf(door.payer, 3n), readingOf(10n, 100));
      await door.store.execute(id, '{}', null);
      await door.store.settle([id], inclusionAt(105));
      await door.store.reserve(claimOf(door.payer, 1n << 60n), readingOf(10n, 104), now);
      expect(await availableTo(door.store, door.payer)).toBe(7n);
      await door.store.reserve(claimOf(door.payer, 1n << 60n), readingOf(9n, 105), now);
      expect(await availableTo(door.store, door.payer)).toBe(9n);
      await door.store.reserve(claimOf(door.payer, 1n << 60n), readingOf(50n, 104), now);
      expect(await availableTo(door.store, door.payer)).toBe(9n);
    });

    it('a balance that fell under what is pending leaves nothing, not less than nothing', async () => {
      await reserved(door.store, claimOf(door.payer, 8n), readingOf(10n, 100));
      expect(await door.store.reserve(claimOf(door.payer, 1n), readingOf(5n, 101), now)).toEqual({
        kind: 'insufficient',
        available: 0n,
      });
    });

    it('too little for what is on its way, and for no more, is not said yet: it may be gone from the balance already', async () => {
      const lease = await leaseFor(door.store);
      const { payment, transaction } = await submitted(door.store, lease, door.payer, 6n);
      await reserved(door.store, claimOf(door.payer, 90n), null);
      // Of 100, 96 are pending, and the chain may have taken 6 of them.
      const [ten, eleven] = [claimOf(door.payer, 10n), claimOf(door.payer, 11n)];
      expect(await door.store.reserve(ten, readingOf(100n), now)).toEqual({ kind: 'unsettled' });
      expect(await door.store.reserve(eleven, readingOf(100n), now)).toEqual({
        kind: 'insufficient',
        available: 4n,
      });
      // It has taken them: 94 are left, and the 6 still count as pending.
      expect(await door.store.reserve(claimOf(door.payer, 4n), readingOf(94n, 101), now)).toEqual({
        kind: 'unsettled',
      });
      await door.store.settle([payment.id], inclusionAt(101, transaction.hash));
      await reserved(door.store, claimOf(door.payer, 4n), readingOf(94n, 101));
      expect(await door.store.reserve(claimOf(door.payer, 1n), readingOf(94n, 101), now)).toMatchObject({
        kind: 'insufficient',
      });
    });

    it('what a relayer has claimed counts as on its way, what nobody carries yet does not', async () => {
      const { id } = await executed(door.store, door.payer, 8n, 10n);
      const claim = claimOf(door.payer, 3n);
      expect(await door.store.reserve(claim, readingOf(10n), now)).toMatchObject({ kind: 'insufficient' });
      const lease = await leaseFor(door.store);
      await door.store.claimExecuted(lease, 1_000, now);
      expect(await door.store.reserve(claim, readingOf(10n), now)).toEqual({ kind: 'unsettled' });
      expect(await door.store.reserve(claimOf(randomAddress(), 3n), readingOf(0n), now)).toMatchObject({
        kind: 'insufficient',
      });
      await door.store.requeue(lease, [id]);
      expect(await door.store.reserve(claim, readingOf(10n), now)).toMatchObject({ kind: 'insufficient' });
    });

    it('is counted by payer and by asset', async () => {
      await reserved(door.store, claimOf(door.payer, 9n), readingOf(10n));
      await reserved(door.store, claimOf(door.payer, 9n, { asset: randomAddress() }), readingOf(10n));
      await reserved(door.store, claimOf(randomAddress(), 9n), readingOf(10n));
      expect(await availableTo(door.store, door.payer)).toBe(1n);
    });

    it('is exact just below 2^62, and a balance of uint256 is no exception', async () => {
      const huge = (1n << 62n) - 2n;
      const { id } = await reserved(door.store, claimOf(door.payer, huge), readingOf((1n << 256n) - 1n));
      expect(await door.store.find(id)).toMatchObject({ authorization: { value: huge } });
      await reserved(door.store, claimOf(door.payer, 1n), null);
      await door.store.execute(id, '{}', null);
      await door.store.settle([id], inclusionAt(99));
      const other = randomAddress();
      await reserved(door.store, claimOf(other, huge), readingOf(huge));
      expect(await availableTo(door.store, other)).toBe(0n);
    });
  });
}
