import { beforeEach, describe, expect, it } from 'vitest';
import type { RelayerLease } from '../../store/relayer-lease.ts';

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
  randomBytes32,
  reserved,
  submitted,
  transactionBy,
} from './claims.ts';
import { useTestStore } from './use-test-store.ts';

/** Settlements, and their loss in a reorganisation. */
export function describeOutcomes(createTestStore: CreateTestStore): void {
  describe('A settlement that is not final', () => {
    const database = useTestStore(createTestStore);
    let lease: RelayerLease;
    beforeEach(async () => {
      lease = await leaseFor(database.store);
      await database.store.finalise(1_000_000);
    });

    it('settles a batch at once, for every payer', async () => {
      const other = randomAddress();
      const payments = [
        await executed(database.store, database.payer, 3n),
        await executed(database.store, other, 4n),
        await executed(database.store, database.payer, 5n),
      ];
      const transaction = transactionBy(lease.relayer);
      const ids = payments.map(({ id }) => id);
      await database.store.submit(lease, ids, transaction);
      await database.store.settle(ids, inclusionAt(101, transaction.hash));
      for (const id of ids) {
        expect(await database.store.find(id)).toMatchObject({ state: 'settled', txHash: transaction.hash });
      }
      expect(await availableTo(database.store, database.payer)).toBe(92n);
      expect(await availableTo(database.store, other)).toBe(96n);
    });

    it('is read with other outcomes, without completions', async () => {
      const settled = await executed(database.store, database.payer, 3n);
      const failed = await executed(database.store, database.payer, 4n);
      const inclusion = inclusionAt(101);
      await database.store.settle([settled.id], inclusion);
      await database.store.fail(failed.id, 'insufficient_funds', null);
      const outcomes = await database.store.readOutcomes([settled.id, failed.id, 4_711]);
      expect(outcomes.toSorted((one, other) => one.id - other.id)).toEqual([
        { id: settled.id, state: 'settled', txHash: inclusion.txHash, failure: null },
        { id: failed.id, state: 'failed', txHash: null, failure: 'insufficient_funds' },
      ]);
      expect(await database.store.readOutcomes([])).toEqual([]);
    });

    it('is listed by inclusion once, from the highest or the lowest block, until it is final', async () => {
      const ids = await Promise.all(
        [1, 2, 3].map(async () => (await executed(database.store, database.payer, 1n)).id),
      );
      const [first, second] = [inclusionAt(2_000), inclusionAt(2_001)];
      await database.store.settle(ids.slice(0, 1), second);
      await database.store.settle(ids.slice(1), first);
      expect(await database.store.recentInclusions(0, 9)).toEqual([second, first]);
      expect(await database.store.recentInclusions(0, 1)).toEqual([second]);
      expect(await database.store.recentInclusions(2_001, 9)).toEqual([second]);
      expect(await database.store.inclusionsUpTo(2_001, 9)).toEqual([first, second]);
      expect(await database.store.inclusionsUpTo(2_001, 1)).toEqual([first]);
      expect(await database.store.inclusionsUpTo(2_000, 9)).toEqual([first]);
      expect(await database.store.finalise(2_000)).toBe(2);
      expect(await database.store.recentInclusions(0, 9)).toEqual([second]);
      expect(await database.store.reopen(first.txHash), 'a final settlement is not reopened').toEqual([]);
      expect(await database.store.finalise(2_000)).toBe(0);
    });

    it('is reopened when a reorganisation removes its block, and so is its nonce', async () => {
      const { payment, transaction } = await submitted(database.store, lease, database.payer, 3n, 6);
      await database.store.settle([payment.id], inclusionAt(105, transaction.hash));
      await database.store.closeNonce(lease, 6);
      expect(await availableTo(database.store, database.payer)).toBe(97n);
      expect(await database.store.reopen(transaction.hash)).toEqual([payment]);
      expect(await database.store.openNonces(lease.relayer)).toEqual([
        { relayerNonce: 6, transactions: [transaction], payments: [payment] },
      ]);
      // The amount is pending instead of spent, so the free amount is equal. A reading from before the lost
      // block counts again.
      expect(await availableTo(database.store, database.payer)).toBe(97n);
      await database.store.reserve(createClaim(database.payer, 1n << 60n), createReading(50n, 104), now);
      expect(await availableTo(database.store, database.payer)).toBe(47n);
      await database.store.settle([payment.id], inclusionAt(106, transaction.hash));
      expect(await availableTo(database.store, database.payer)).toBe(47n);
      await expectPendingToAddUp();
    });

    it('makes the store drop a balance that was read in the lost chain', async () => {
      const { payment, transaction } = await submitted(database.store, lease, database.payer, 3n);
      await database.store.settle([payment.id], inclusionAt(105, transaction.hash));
      await database.store.reserve(createClaim(database.payer, 1n << 60n), createReading(80n, 107), now);
      await database.store.reopen(transaction.hash);
      expect(await database.store.reserve(createClaim(database.payer, 1n), null, now)).toEqual({
        kind: 'balance-unknown',
      });
      await database.store.reserve(createClaim(database.payer, 1n << 60n), createReading(83n, 101), now);
      expect(await availableTo(database.store, database.payer)).toBe(80n);
    });

    it('keeps counting by its block when another settlement of the payer is reopened', async () => {
      const [early, late] = [
        await submitted(database.store, lease, database.payer, 3n, 0),
        await submitted(database.store, lease, database.payer, 4n, 1),
      ];
      await database.store.settle([early.payment.id], inclusionAt(103, early.transaction.hash));
      await database.store.settle([late.payment.id], inclusionAt(105, late.transaction.hash));
      await database.store.reopen(late.transaction.hash);
      await database.store.reserve(createClaim(database.payer, 1n << 60n), createReading(200n, 102), now);
      expect(await availableTo(database.store, database.payer), 'older than the remaining settlement').toBe(
        93n,
      );
      await database.store.reserve(createClaim(database.payer, 1n << 60n), createReading(200n, 103), now);
      expect(await availableTo(database.store, database.payer)).toBe(196n);
    });

    it('by a foreign transaction is free for any relayer when its block is lost', async () => {
      const { payment } = await submitted(database.store, lease, database.payer, 3n, 2);
      const theirs = inclusionAt(105);
      await database.store.settle([payment.id], theirs);
      await database.store.closeNonce(lease, 2);
      const reopened = await database.store.reopen(theirs.txHash);
      expect(reopened).toEqual([{ ...payment, state: 'executed', txHash: null }]);
      expect(await database.store.openNonces(lease.relayer)).toEqual([]);
      expect(await availableTo(database.store, database.payer)).toBe(97n);
      const other = await leaseFor(database.store);
      const claimed = await database.store.claimExecuted(other, 100, now);
      expect(claimed.map(({ id }) => id)).toContain(payment.id);
    });

    it.each(['fail', 'expire'] as const)(
      'gives the balance back on %s after a reorganisation',
      async (end) => {
        const { payment, transaction } = await submitted(database.store, lease, database.payer, 3n);
        await database.store.settle([payment.id], inclusionAt(105, transaction.hash));
        if (end === 'fail') await database.store.fail(payment.id, 'authorization_used', null);
        else await database.store.expire(payment.id);
        expect(await availableTo(database.store, database.payer)).toBe(100n);
        await expectPendingToAddUp();
      },
    );

    it('may have no payments', async () => {
      await database.store.settle([], inclusionAt(101));
      expect(await database.store.reopen(randomBytes32())).toEqual([]);
    });

    async function expectPendingToAddUp(): Promise<void> {
      expect(await database.query(pendingThatDoesNotAddUp)).toEqual([]);
    }
  });

  describe('Inference that was not paid', () => {
    const database = useTestStore(createTestStore);

    it('is stored as a debt, and its payer is blocked until its end', async () => {
      const until = unixSeconds(now + 600);
      const { id } = await executed(database.store, database.payer, 3n);
      await database.store.fail(id, 'insufficient_funds', { blockedUntil: until });
      const claim = createClaim(database.payer, 1n);
      expect(await database.store.reserve(claim, createReading(100n), now)).toEqual({
        kind: 'blocked',
        until,
      });
      const last = unixSeconds(until - 1);
      expect(await database.store.reserve(claim, createReading(100n, 101, last), last)).toMatchObject({
        kind: 'blocked',
      });
      expect(await database.store.reserve(claim, createReading(100n, 101, until), until)).toMatchObject({
        kind: 'reserved',
      });
      expect(await readDebt(database.payer)).toBe(3n);
    });

    it('adds up, and the later end of two counts', async () => {
      const payments = await Promise.all(
        [3n, 4n].map((value) => executed(database.store, database.payer, value)),
      );
      const [later, earlier] = [unixSeconds(now + 600), unixSeconds(now + 60)];
      await database.store.fail(payments[0]?.id ?? 0, 'insufficient_funds', { blockedUntil: later });
      await database.store.fail(payments[1]?.id ?? 0, 'insufficient_funds', { blockedUntil: earlier });
      expect(await readDebt(database.payer)).toBe(7n);
      expect(await database.store.reserve(createClaim(database.payer, 1n), null, now)).toEqual({
        kind: 'blocked',
        until: later,
      });
    });

    it('blocks neither another payer nor a replay of an earlier payment', async () => {
      const claim = createClaim(database.payer, 1n);
      const paid = await reserved(database.store, claim, createReading(100n));
      await database.store.execute(paid.id, completion, null);
      await database.store.settle([paid.id], inclusionAt(101));
      const { id } = await executed(database.store, database.payer, 3n);
      await database.store.fail(id, 'insufficient_funds', { blockedUntil: unixSeconds(now + 600) });
      expect(await database.store.reserve(claim, null, now)).toMatchObject({
        kind: 'known',
        payment: { completion },
      });
      await reserved(database.store, createClaim(randomAddress(), 1n), createReading(1n));
    });

    it('without a debt blocks no payer', async () => {
      const { id } = await executed(database.store, database.payer, 3n);
      await database.store.fail(id, 'authorization_used', null);
      await reserved(database.store, createClaim(database.payer, 1n), null);
      expect(await readDebt(database.payer)).toBe(0n);
    });

    async function readDebt(payer: string): Promise<bigint> {
      const [row] = await database.query(`SELECT bad_debt FROM payer_account WHERE payer = '${payer}'`);
      return BigInt(row?.['bad_debt'] as string | bigint);
    }
  });
}

/** Finds accounts whose pending sum differs from that of their payments. The result must be empty. */
export const pendingThatDoesNotAddUp = `
  SELECT a.asset, a.payer, a.pending, coalesce(sum(p.amount), 0) AS amounts FROM payer_account a
  LEFT JOIN payment p ON p.asset = a.asset AND p.payer = a.payer AND p.state IN ('reserved', 'executed', 'submitted')
  GROUP BY a.asset, a.payer, a.pending HAVING a.pending <> coalesce(sum(p.amount), 0)`;
