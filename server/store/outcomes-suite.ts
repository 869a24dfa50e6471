import { beforeEach, describe, expect, it } from 'vitest';
import { unixSeconds } from '../vocabulary/units.ts';
import type { RelayerLease } from './store.ts';
import {
  answer,
  availableTo,
  type CreateTestStore,
  claimOf,
  executed,
  inclusionAt,
  leaseFor,
  now,
  randomAddress,
  randomBytes32,
  readingOf,
  reserved,
  submitted,
  transactionBy,
} from './test-claims.ts';
import { useTestStore } from './use-test-store.ts';

/** What the chain said, and took back. */
export function describeOutcomes(createTestStore: CreateTestStore): void {
  describe('Settled, and not yet final', () => {
    const door = useTestStore(createTestStore);
    let lease: RelayerLease;
    beforeEach(async () => {
      lease = await leaseFor(door.store);
      await door.store.finalise(1_000_000);
    });

    it('a batch settles at once, for every payer of it', async () => {
      const other = randomAddress();
      const payments = [
        await executed(door.store, door.payer, 3n),
        await executed(door.store, other, 4n),
        await executed(door.store, door.payer, 5n),
      ];
      const transaction = transactionBy(lease.relayer);
      const ids = payments.map(({ id }) => id);
      await door.store.submit(lease, ids, transaction);
      await door.store.settle(ids, inclusionAt(101, transaction.hash));
      for (const id of ids) {
        expect(await door.store.find(id)).toMatchObject({ state: 'settled', txHash: transaction.hash });
      }
      expect(await availableTo(door.store, door.payer)).toBe(92n);
      expect(await availableTo(door.store, other)).toBe(96n);
    });

    it('inclusions are listed once each, the lowest block first, until they are final', async () => {
      const ids = await Promise.all(
        [1, 2, 3].map(async () => (await executed(door.store, door.payer, 1n)).id),
      );
      const [first, second] = [inclusionAt(2_000), inclusionAt(2_001)];
      await door.store.settle(ids.slice(0, 1), second);
      await door.store.settle(ids.slice(1), first);
      expect(await door.store.settledInclusions(9)).toEqual([first, second]);
      expect(await door.store.settledInclusions(1)).toEqual([first]);
      expect(await door.store.finalise(2_000)).toBe(2);
      expect(await door.store.settledInclusions(9)).toEqual([second]);
      expect(await door.store.reopen(first.txHash), 'what is final is final').toEqual([]);
      expect(await door.store.finalise(2_000)).toBe(0);
    });

    it('a block that a reorganisation took gives back what settled in it, and opens its nonce again', async () => {
      const { payment, transaction } = await submitted(door.store, lease, door.payer, 3n, 6);
      await door.store.settle([payment.id], inclusionAt(105, transaction.hash));
      await door.store.closeNonce(lease, 6);
      expect(await availableTo(door.store, door.payer)).toBe(97n);
      expect(await door.store.reopen(transaction.hash)).toEqual([payment]);
      expect(await door.store.openNonces(lease.relayer)).toEqual([
        { relayerNonce: 6, transactions: [transaction], payments: [payment] },
      ]);
      // Pending instead of spent: the same is free, and a reading from before the lost block counts again.
      expect(await availableTo(door.store, door.payer)).toBe(97n);
      await door.store.reserve(claimOf(door.payer, 1n << 60n), readingOf(50n, 104), now);
      expect(await availableTo(door.store, door.payer)).toBe(47n);
      await door.store.settle([payment.id], inclusionAt(106, transaction.hash));
      expect(await availableTo(door.store, door.payer)).toBe(47n);
      await expectPendingToAddUp();
    });

    it('a balance that was read in the lost chain is forgotten', async () => {
      const { payment, transaction } = await submitted(door.store, lease, door.payer, 3n);
      await door.store.settle([payment.id], inclusionAt(105, transaction.hash));
      await door.store.reserve(claimOf(door.payer, 1n << 60n), readingOf(80n, 107), now);
      await door.store.reopen(transaction.hash);
      expect(await door.store.reserve(claimOf(door.payer, 1n), null, now)).toEqual({
        kind: 'balance-unknown',
      });
      await door.store.reserve(claimOf(door.payer, 1n << 60n), readingOf(83n, 101), now);
      expect(await availableTo(door.store, door.payer)).toBe(80n);
    });

    it('other settlements of the payer are still remembered by their block', async () => {
      const [early, late] = [
        await submitted(door.store, lease, door.payer, 3n, 0),
        await submitted(door.store, lease, door.payer, 4n, 1),
      ];
      await door.store.settle([early.payment.id], inclusionAt(103, early.transaction.hash));
      await door.store.settle([late.payment.id], inclusionAt(105, late.transaction.hash));
      await door.store.reopen(late.transaction.hash);
      await door.store.reserve(claimOf(door.payer, 1n << 60n), readingOf(200n, 102), now);
      expect(await availableTo(door.store, door.payer), 'older than what still stands').toBe(93n);
      await door.store.reserve(claimOf(door.payer, 1n << 60n), readingOf(200n, 103), now);
      expect(await availableTo(door.store, door.payer)).toBe(196n);
    });

    it('what a transaction of somebody else settled is free for any relayer when its block is lost', async () => {
      const { payment } = await submitted(door.store, lease, door.payer, 3n, 2);
      const theirs = inclusionAt(105);
      await door.store.settle([payment.id], theirs);
      await door.store.closeNonce(lease, 2);
      const reopened = await door.store.reopen(theirs.txHash);
      expect(reopened).toEqual([{ ...payment, state: 'executed', txHash: null }]);
      expect(await door.store.openNonces(lease.relayer)).toEqual([]);
      expect(await availableTo(door.store, door.payer)).toBe(97n);
      const other = await leaseFor(door.store);
      const claimed = await door.store.claimExecuted(other, 100, now);
      expect(claimed.map(({ id }) => id)).toContain(payment.id);
    });

    it.each(['fail', 'expire'] as const)('%s after a reorganisation gives the balance back', async (end) => {
      const { payment, transaction } = await submitted(door.store, lease, door.payer, 3n);
      await door.store.settle([payment.id], inclusionAt(105, transaction.hash));
      if (end === 'fail') await door.store.fail(payment.id, 'authorization_used', null);
      else await door.store.expire(payment.id);
      expect(await availableTo(door.store, door.payer)).toBe(100n);
      await expectPendingToAddUp();
    });

    it('no payments settle without a word', async () => {
      await door.store.settle([], inclusionAt(101));
      expect(await door.store.reopen(randomBytes32())).toEqual([]);
    });

    async function expectPendingToAddUp(): Promise<void> {
      expect(await door.query(pendingThatDoesNotAddUp)).toEqual([]);
    }
  });

  describe('Work that was not paid', () => {
    const door = useTestStore(createTestStore);

    it('is remembered as a debt, and its payer held back until then', async () => {
      const until = unixSeconds(now + 600);
      const { id } = await executed(door.store, door.payer, 3n);
      await door.store.fail(id, 'insufficient_funds', { blockedUntil: until });
      const claim = claimOf(door.payer, 1n);
      expect(await door.store.reserve(claim, readingOf(100n), now)).toEqual({ kind: 'blocked', until });
      const last = unixSeconds(until - 1);
      expect(await door.store.reserve(claim, readingOf(100n, 101, last), last)).toMatchObject({
        kind: 'blocked',
      });
      expect(await door.store.reserve(claim, readingOf(100n, 101, until), until)).toMatchObject({
        kind: 'reserved',
      });
      expect(await debtOf(door.payer)).toBe(3n);
    });

    it('adds up, and the later end of two counts', async () => {
      const payments = await Promise.all([3n, 4n].map((value) => executed(door.store, door.payer, value)));
      const [later, earlier] = [unixSeconds(now + 600), unixSeconds(now + 60)];
      await door.store.fail(payments[0]?.id ?? 0, 'insufficient_funds', { blockedUntil: later });
      await door.store.fail(payments[1]?.id ?? 0, 'insufficient_funds', { blockedUntil: earlier });
      expect(await debtOf(door.payer)).toBe(7n);
      expect(await door.store.reserve(claimOf(door.payer, 1n), null, now)).toEqual({
        kind: 'blocked',
        until: later,
      });
    });

    it('holds nobody else back, nor a repetition of what was paid before', async () => {
      const claim = claimOf(door.payer, 1n);
      const paid = await reserved(door.store, claim, readingOf(100n));
      await door.store.execute(paid.id, answer, null);
      await door.store.settle([paid.id], inclusionAt(101));
      const { id } = await executed(door.store, door.payer, 3n);
      await door.store.fail(id, 'insufficient_funds', { blockedUntil: unixSeconds(now + 600) });
      expect(await door.store.reserve(claim, null, now)).toMatchObject({
        kind: 'known',
        payment: { answer },
      });
      await reserved(door.store, claimOf(randomAddress(), 1n), readingOf(1n));
    });

    it('without a debt nobody is held back', async () => {
      const { id } = await executed(door.store, door.payer, 3n);
      await door.store.fail(id, 'authorization_used', null);
      await reserved(door.store, claimOf(door.payer, 1n), null);
      expect(await debtOf(door.payer)).toBe(0n);
    });

    async function debtOf(payer: string): Promise<bigint> {
      const [row] = await door.query(`SELECT bad_debt FROM payer_account WHERE payer = '${payer}'`);
      return BigInt(row?.['bad_debt'] as string | bigint);
    }
  });
}

/** Accounts whose pending sum is not that of their payments: none, ever. */
export const pendingThatDoesNotAddUp = `
  SELECT a.asset, a.payer, a.pending, coalesce(sum(p.amount), 0) AS amounts FROM payer_account a
  LEFT JOIN payment p ON p.asset = a.asset AND p.payer = a.payer AND p.state IN ('reserved', 'executed', 'submitted')
  GROUP BY a.asset, a.payer, a.pending HAVING a.pending <> coalesce(sum(p.amount), 0)`;
