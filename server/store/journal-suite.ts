import { beforeEach, describe, expect, it } from 'vitest';
import { useLedger } from './ledger-suite.ts';
import type { LaneLease } from './store.ts';
import {
  type CreateLedger,
  executed,
  inclusionAt,
  laneOf,
  randomAddress,
  submitted,
  transactionBy,
} from './test-claims.ts';

/** What was signed, before it is sent. */
export function describeJournal(createLedger: CreateLedger): void {
  describe('The journal of transactions', () => {
    const door = useLedger(createLedger);
    let lease: LaneLease;
    beforeEach(async () => {
      lease = await laneOf(door.store);
    });

    it('lists open nonces, the lowest first, and for each its transactions, the newest first', async () => {
      const later = await submitted(door.store, lease, door.payer, 1n, 5);
      const earlier = await submitted(door.store, lease, door.payer, 1n, 4);
      const bumped = transactionBy(lease.relayer, 4);
      await door.store.submit(lease, [earlier.payment.id], bumped);
      expect(await door.store.openNonces(lease.relayer)).toEqual([
        {
          relayerNonce: 4,
          transactions: [bumped, earlier.transaction],
          payments: [{ ...earlier.payment, txHash: bumped.hash }],
        },
        { relayerNonce: 5, transactions: [later.transaction], payments: [later.payment] },
      ]);
      expect(await door.store.openNonces(randomAddress())).toEqual([]);
    });

    it('is there behind another door', async () => {
      const { payment, transaction } = await submitted(door.store, lease, door.payer, 1n, 9);
      const other = await door.open();
      expect(await other.openNonces(lease.relayer)).toEqual([
        { relayerNonce: 9, transactions: [transaction], payments: [payment] },
      ]);
      expect(await other.nextRelayerNonce(lease.relayer)).toBe(10);
    });

    it('knows the next nonce of each relayer, closed ones included', async () => {
      expect(await door.store.nextRelayerNonce(lease.relayer)).toBe(0);
      const { payment } = await submitted(door.store, lease, door.payer, 1n, 7);
      await submitted(door.store, lease, door.payer, 1n, 3);
      expect(await door.store.nextRelayerNonce(lease.relayer)).toBe(8);
      await door.store.settle([payment.id], inclusionAt(101));
      await door.store.closeNonce(lease, 7);
      expect(await door.store.nextRelayerNonce(lease.relayer)).toBe(8);
      expect(await door.store.nextRelayerNonce(randomAddress())).toBe(0);
    });

    it('keeps a nonce open until it is closed, and what ended is no longer of it', async () => {
      const settled = await submitted(door.store, lease, door.payer, 1n, 0);
      const failed = await executed(door.store, door.payer, 1n);
      const both = transactionBy(lease.relayer, 0);
      await door.store.submit(lease, [settled.payment.id, failed.id], both);
      await door.store.settle([settled.payment.id], inclusionAt(101, both.hash));
      expect(await door.store.openNonces(lease.relayer)).toMatchObject([{ payments: [{ id: failed.id }] }]);
      await expect(door.store.closeNonce(lease, 0), 'one is still submitted').rejects.toThrow(
        String(failed.id),
      );
      await door.store.fail(failed.id, 'insufficient_funds', null);
      expect(await door.store.openNonces(lease.relayer)).toMatchObject([{ relayerNonce: 0, payments: [] }]);
      await door.store.closeNonce(lease, 0);
      expect(await door.store.openNonces(lease.relayer)).toEqual([]);
    });

    it('a payment whose nonce was lost is of its next nonce alone', async () => {
      const { payment } = await submitted(door.store, lease, door.payer, 1n, 0);
      await door.store.requeue(lease, [payment.id]);
      expect(await door.store.find(payment.id)).toMatchObject({ state: 'executed', txHash: null });
      const second = transactionBy(lease.relayer, 1);
      await door.store.submit(lease, [payment.id], second);
      expect(await door.store.openNonces(lease.relayer)).toMatchObject([
        { relayerNonce: 0, payments: [] },
        { relayerNonce: 1, payments: [{ id: payment.id, txHash: second.hash }] },
      ]);
      await door.store.closeNonce(lease, 0);
    });

    it('a transaction without payments only uses its nonce up', async () => {
      const transaction = transactionBy(lease.relayer, 2);
      await door.store.submit(lease, [], transaction);
      expect(await door.store.openNonces(lease.relayer)).toEqual([
        { relayerNonce: 2, transactions: [transaction], payments: [] },
      ]);
      expect(await door.store.nextRelayerNonce(lease.relayer)).toBe(3);
    });

    it('takes the same transaction again, for who did not hear of the first time, but no other under its hash', async () => {
      const { payment, transaction } = await submitted(door.store, lease, door.payer, 1n, 0);
      await door.store.submit(lease, [payment.id], transaction);
      const { raw } = transactionBy(lease.relayer);
      for (const other of [
        { ...transaction, raw },
        { ...transaction, relayerNonce: 1 },
      ]) {
        await expect(door.store.submit(lease, [payment.id], other)).rejects.toThrow(transaction.hash);
      }
      expect(await door.store.openNonces(lease.relayer)).toEqual([
        { relayerNonce: 0, transactions: [transaction], payments: [payment] },
      ]);
    });
  });
}
