import { describe, expect, it } from 'vitest';
import {
  type CreateTestStore,
  executed,
  inclusionAt,
  leaseFor,
  randomAddress,
  randomBytes32,
  submitted,
  transactionBy,
} from './claims.ts';
import { useTestStore } from './use-test-store.ts';

/** The record of the transactions that carry a payment, and how long it is kept. */
export function describeSent(createTestStore: CreateTestStore): void {
  describe('D-138: the record of sent transactions', () => {
    const database = useTestStore(createTestStore);
    const sent = (id: number) => database.store.findSent(id);
    const nothing = { transactions: [], isHandedOver: false, senders: [], wasSettled: false };

    it('has every transaction that was submitted for a payment, whatever happened to its relayer nonce', async () => {
      const lease = await leaseFor(database.store);
      const { payment, transaction } = await submitted(database.store, lease, database.payer, 1n, 0);
      const replacement = transactionBy(lease.relayer, 0);
      await database.store.submit(lease, [payment.id], replacement);
      await database.store.abandonNonce(lease, 0);
      const { transactions } = await sent(payment.id);
      expect(transactions.toSorted()).toEqual([transaction.hash, replacement.hash].toSorted());
      expect(await sent(payment.id + 1_000)).toEqual(nothing);
    });

    it('has the handover to a facilitator, and the transactions that it named', async () => {
      const { id } = await executed(database.store, database.payer, 1n);
      expect(await sent(id)).toEqual(nothing);
      const senders = [randomAddress()];
      await database.store.recordHandover(id, senders);
      await database.store.recordHandover(id, senders);
      expect(await sent(id)).toEqual({ ...nothing, isHandedOver: true, senders });
      expect(await sent(id + 1_000)).toEqual(nothing);
      const txHash = randomBytes32();
      await database.store.recordSent(id, txHash);
      await database.store.recordSent(id, txHash);
      expect(await sent(id)).toEqual({ ...nothing, transactions: [txHash], isHandedOver: true, senders });
    });

    it('lasts while a refused payment is checked, and is deleted when the payment is closed', async () => {
      const { id } = await executed(database.store, database.payer, 1n);
      const txHash = randomBytes32();
      await database.store.recordSent(id, txHash);
      await database.store.fail(id, 'authorization_used', null);
      expect(await sent(id)).toMatchObject({ transactions: [txHash] });
      await database.store.closeRefused([id]);
      expect(await sent(id)).toEqual(nothing);
    });

    it('lasts while a settlement may be reopened, and is deleted when it is final', async () => {
      const lease = await leaseFor(database.store);
      const { payment, transaction } = await submitted(database.store, lease, database.payer, 1n, 0);
      await database.store.settle([payment.id], inclusionAt(101, transaction.hash));
      await database.store.finalise(100);
      expect(await sent(payment.id)).toMatchObject({ transactions: [transaction.hash] });
      await database.store.finalise(101);
      expect(await sent(payment.id)).toEqual({ ...nothing, wasSettled: true });
    });

    it('says that a payment was settled, also after a reorganisation took the settlement back', async () => {
      const lease = await leaseFor(database.store);
      const { payment, transaction } = await submitted(database.store, lease, database.payer, 1n, 0);
      expect(await sent(payment.id)).toMatchObject({ wasSettled: false });
      await database.store.settle([payment.id], inclusionAt(101, transaction.hash));
      await database.store.reopen(transaction.hash);
      expect(await sent(payment.id)).toMatchObject({ wasSettled: true });
      await database.store.fail(payment.id, 'authorization_used', null);
      expect(await sent(payment.id)).toMatchObject({ wasSettled: true });
    });
  });
}
