import { beforeEach, describe, expect, it } from 'vitest';
import type { RelayerLease } from '../../store/relayer-lease.ts';

import {
  type CreateTestStore,
  executed,
  inclusionAt,
  leaseFor,
  now,
  randomAddress,
  submitted,
  transactionBy,
} from './claims.ts';
import { useTestStore } from './use-test-store.ts';

/** The journal of signed transactions, written before they are sent. */
export function describeJournal(createTestStore: CreateTestStore): void {
  describe('The journal of transactions', () => {
    const database = useTestStore(createTestStore);
    let lease: RelayerLease;
    beforeEach(async () => {
      lease = await leaseFor(database.store);
    });

    it('lists open nonces, lowest first, each with its transactions, newest first', async () => {
      const later = await submitted(database.store, lease, database.payer, 1n, 5);
      const earlier = await submitted(database.store, lease, database.payer, 1n, 4);
      const bumped = transactionBy(lease.relayer, 4);
      await database.store.submit(lease, [earlier.payment.id], bumped);
      expect(await database.store.openNonces(lease.relayer)).toEqual([
        {
          relayerNonce: 4,
          transactions: [bumped, earlier.transaction],
          payments: [{ ...earlier.payment, txHash: bumped.hash }],
        },
        { relayerNonce: 5, transactions: [later.transaction], payments: [later.payment] },
      ]);
      expect(await database.store.openNonces(randomAddress())).toEqual([]);
    });

    it('is read by another instance', async () => {
      const { payment, transaction } = await submitted(database.store, lease, database.payer, 1n, 9);
      const other = await database.open();
      expect(await other.openNonces(lease.relayer)).toEqual([
        { relayerNonce: 9, transactions: [transaction], payments: [payment] },
      ]);
      expect(await other.nextRelayerNonce(lease.relayer)).toBe(10);
    });

    it('has the next nonce of each relayer, closed nonces included', async () => {
      expect(await database.store.nextRelayerNonce(lease.relayer)).toBe(0);
      const { payment } = await submitted(database.store, lease, database.payer, 1n, 7);
      await submitted(database.store, lease, database.payer, 1n, 3);
      expect(await database.store.nextRelayerNonce(lease.relayer)).toBe(8);
      await database.store.settle([payment.id], inclusionAt(101));
      await database.store.closeNonce(lease, 7);
      expect(await database.store.nextRelayerNonce(lease.relayer)).toBe(8);
      expect(await database.store.nextRelayerNonce(randomAddress())).toBe(0);
    });

    it('keeps a nonce open until it is closed, without its ended payments', async () => {
      const settled = await submitted(database.store, lease, database.payer, 1n, 0);
      const failed = await executed(database.store, database.payer, 1n);
      const both = transactionBy(lease.relayer, 0);
      await database.store.submit(lease, [settled.payment.id, failed.id], both);
      await database.store.settle([settled.payment.id], inclusionAt(101, both.hash));
      expect(await database.store.openNonces(lease.relayer)).toMatchObject([
        { payments: [{ id: failed.id }] },
      ]);
      await expect(database.store.closeNonce(lease, 0), 'one payment is still submitted').rejects.toThrow(
        String(failed.id),
      );
      await database.store.fail(failed.id, 'insufficient_funds', null);
      expect(await database.store.openNonces(lease.relayer)).toMatchObject([
        { relayerNonce: 0, payments: [] },
      ]);
      await database.store.closeNonce(lease, 0);
      expect(await database.store.openNonces(lease.relayer)).toEqual([]);
    });

    it('lists a payment of a lost nonce under its next nonce only', async () => {
      const { payment } = await submitted(database.store, lease, database.payer, 1n, 0);
      await database.store.requeue(lease, [payment.id]);
      expect(await database.store.find(payment.id)).toMatchObject({ state: 'executed', txHash: null });
      const second = transactionBy(lease.relayer, 1);
      await database.store.submit(lease, [payment.id], second);
      expect(await database.store.openNonces(lease.relayer)).toMatchObject([
        { relayerNonce: 0, payments: [] },
        { relayerNonce: 1, payments: [{ id: payment.id, txHash: second.hash }] },
      ]);
      await database.store.closeNonce(lease, 0);
    });

    it('drops an abandoned nonce as if unused, and frees its payments for any relayer', async () => {
      await submitted(database.store, lease, database.payer, 1n, 3);
      const settled = await submitted(database.store, lease, database.payer, 1n, 9);
      const stuck = await executed(database.store, database.payer, 1n);
      const bumped = transactionBy(lease.relayer, 9);
      await database.store.submit(lease, [settled.payment.id, stuck.id], bumped);
      await database.store.settle([settled.payment.id], inclusionAt(101));
      await database.store.abandonNonce(lease, 9);
      expect(await database.store.find(stuck.id)).toEqual({ ...stuck, txHash: null });
      expect(await database.store.find(settled.payment.id)).toMatchObject({ state: 'settled' });
      expect(await database.store.openNonces(lease.relayer)).toMatchObject([{ relayerNonce: 3 }]);
      expect(await database.store.nextRelayerNonce(lease.relayer)).toBe(4);
      const claimed = await database.store.claimExecuted(await leaseFor(database.store), 1_000, now);
      expect(claimed.map(({ id }) => id)).toContain(stuck.id);
      await database.store.abandonNonce(lease, 77);
    });

    it('deletes transactions that no payment can return to, and keeps the next nonce', async () => {
      const done = await submitted(database.store, lease, database.payer, 1n, 0);
      const replaced = transactionBy(lease.relayer, 0);
      await database.store.submit(lease, [done.payment.id], replaced);
      await database.store.settle([done.payment.id], inclusionAt(3_000, replaced.hash));
      const refused = await submitted(database.store, lease, database.payer, 1n, 1);
      await database.store.fail(refused.payment.id, 'authorization_used', null);
      const early = await submitted(database.store, lease, database.payer, 1n, 2);
      const late = transactionBy(lease.relayer, 2);
      await database.store.submit(lease, [early.payment.id], late);
      await database.store.settle([early.payment.id], inclusionAt(3_001, early.transaction.hash));
      const requeued = await submitted(database.store, lease, database.payer, 1n, 3);
      await database.store.requeue(lease, [requeued.payment.id]);
      const open = await submitted(database.store, lease, database.payer, 1n, 4);
      const newest = await submitted(database.store, lease, database.payer, 1n, 5);
      await database.store.fail(newest.payment.id, 'authorization_used', null);
      for (const nonce of [0, 1, 2, 3, 5]) await database.store.closeNonce(lease, nonce);

      await database.store.finalise(3_000);
      expect(await prune()).toBe(4);
      expect(await listNonces(lease)).toEqual([2, 2, 4, 5]);
      expect(await database.store.nextRelayerNonce(lease.relayer)).toBe(6);
      expect(await database.store.openNonces(lease.relayer)).toMatchObject([
        { relayerNonce: 4, payments: [{ id: open.payment.id }] },
      ]);
      // A settlement that is not final may be reopened, with every transaction that was signed for its nonce.
      expect(await database.store.reopen(early.transaction.hash)).toMatchObject([{ state: 'submitted' }]);
      expect(await database.store.openNonces(lease.relayer)).toMatchObject([
        { relayerNonce: 2, transactions: [late, early.transaction] },
        { relayerNonce: 4 },
      ]);
      expect(await prune()).toBe(0);
    });

    it('deletes up to the given number at once', async () => {
      for (let nonce = 0; nonce < 6; nonce++) {
        await database.store.submit(lease, [], transactionBy(lease.relayer, nonce));
        await database.store.closeNonce(lease, nonce);
      }
      expect(await database.store.pruneJournal(2)).toBe(2);
      expect(await listNonces(lease)).toEqual([2, 3, 4, 5]);
      expect(await database.store.pruneJournal(9)).toBe(3);
      expect(await listNonces(lease)).toEqual([5]);
      expect(await database.store.nextRelayerNonce(lease.relayer)).toBe(6);
    });

    async function prune(): Promise<number> {
      const before = await listNonces(lease);
      await database.store.pruneJournal(1_000);
      return before.length - (await listNonces(lease)).length;
    }
    async function listNonces({ relayer }: RelayerLease): Promise<readonly number[]> {
      const rows = await database.query(
        `SELECT relayer_nonce FROM chain_tx WHERE relayer = '${relayer}' ORDER BY relayer_nonce`,
      );
      return rows.map((row) => Number(row['relayer_nonce']));
    }

    it('has a transaction without payments, which only uses its nonce', async () => {
      const transaction = transactionBy(lease.relayer, 2);
      await database.store.submit(lease, [], transaction);
      expect(await database.store.openNonces(lease.relayer)).toEqual([
        { relayerNonce: 2, transactions: [transaction], payments: [] },
      ]);
      expect(await database.store.nextRelayerNonce(lease.relayer)).toBe(3);
    });

    it('accepts the same transaction again, for a caller without a response, but no other under its hash', async () => {
      const { payment, transaction } = await submitted(database.store, lease, database.payer, 1n, 0);
      await database.store.submit(lease, [payment.id], transaction);
      const { raw } = transactionBy(lease.relayer);
      for (const other of [
        { ...transaction, raw },
        { ...transaction, relayerNonce: 1 },
      ]) {
        await expect(database.store.submit(lease, [payment.id], other)).rejects.toThrow(transaction.hash);
      }
      expect(await database.store.openNonces(lease.relayer)).toEqual([
        { relayerNonce: 0, transactions: [transaction], payments: [payment] },
      ]);
    });
  });
}
