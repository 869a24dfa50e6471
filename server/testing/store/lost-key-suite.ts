import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { OpenStore, PaymentRecord } from '../../store/store.ts';
import { unixSeconds } from '../../types/units.ts';
import {
  asset,
  availableTo,
  type CreateTestStore,
  completion,
  createClaim,
  createReading,
  executed,
  inclusionAt,
  leaseFor,
  now,
  owed,
  proofIn,
  randomAddress,
  reserved,
  submitted,
  type TestStore,
  transactionBy,
} from './claims.ts';

import { testCompletionKey } from './open-test-store.ts';

const chain = { chainId: 84_532, asset };
const newKey = Buffer.alloc(32, 9);

/** A store whose key of the completions was lost, and that is opened with a new key (D-236). */
export function describeLostKey(createTestStore: CreateTestStore): void {
  describe('D-236: a store that is opened with a new key', () => {
    let database: TestStore;
    let store: OpenStore;
    let payer: PaymentRecord['authorization']['from'];
    let faults: string[];
    beforeEach(async () => {
      database = await createTestStore();
      store = await database.open({ chain });
      payer = randomAddress();
      faults = [];
    });
    afterEach(() => database.remove());

    async function openWithNewKey(completionKey: Uint8Array = newKey): Promise<OpenStore> {
      await store.close();
      // The leases of the relayers end.
      database.clock.advance(100);
      await database.query('DELETE FROM completion_key');
      return database.open({ chain, completionKey, onFault: (fault) => faults.push(fault) });
    }

    it('joins no completion that the new key does not decrypt (D-258)', async () => {
      const purchase = { hash: 'one', isRetry: true };
      const reservation = await store.reserve(createClaim(payer, 3n), createReading(100n), now, purchase);
      if (reservation.kind !== 'reserved') throw new Error(reservation.kind);
      const { id } = reservation.payment;
      await store.execute(id, completion, null);
      await store.settle([id], inclusionAt(101));
      const reopened = await openWithNewKey();
      const again = createClaim(payer, 3n).authorization;
      expect(await reopened.lookUp(asset, payer, again.nonce, purchase)).toBeNull();
    });

    it('releases payments that were never sent, and they can be bought again', async () => {
      const proof = proofIn('batch');
      const claim = createClaim(payer, 3n);
      const { id } = await reserved(store, claim, createReading(100n));
      await store.execute(id, completion, proof);
      const lease = await leaseFor(store);
      expect(await store.claimExecuted(lease, 9, now)).toHaveLength(1);
      const reopened = await openWithNewKey();
      expect(await reopened.find(id)).toMatchObject({ state: 'released', completion: null, proof: null });
      expect(await availableTo(reopened, payer)).toBe(100n);
      expect(faults).toEqual([expect.stringContaining('released 1 payment')]);
      // A process with the old lease sends it no more.
      await expect(reopened.submit(lease, [id], transactionBy(lease.relayer))).rejects.toThrow();
      await expect(reopened.recordHandover(id, [])).rejects.toThrow(`payment ${id}`);
      const time = unixSeconds(now + 100);
      const leaseUntil = unixSeconds(now + 200);
      const again = await reopened.reserve({ ...claim, leaseUntil }, createReading(100n, 101, time), time);
      if (again.kind !== 'reserved') throw new Error(again.kind);
      await reopened.execute(again.payment.id, 'a new completion', proof);
      expect(await reopened.find(again.payment.id)).toMatchObject({ completion: 'a new completion' });
      expect(await availableTo(reopened, payer)).toBe(97n);
    });

    it('keeps an owed payment, whose completion a later run writes (D-272)', async () => {
      const { id } = await owed({ store, payer, clock: database.clock });
      const reopened = await openWithNewKey();
      expect(faults).toEqual([]);
      const time = unixSeconds(now + 100);
      const taken = await reopened.takeOwed(id, unixSeconds(time + 60), time);
      await reopened.completeOwed(id, taken?.leaseUntil ?? time, completion, null);
      expect(await reopened.find(id)).toMatchObject({ state: 'executed', completion, isOwed: false });
    });

    it('keeps nothing of a private request that it releases', async () => {
      const claim = createClaim(payer, 3n, { settlementType: 'private' });
      const { id } = await reserved(store, claim, createReading(100n));
      await store.execute(id, completion, null);
      expect(await (await openWithNewKey()).find(id)).toMatchObject({ state: 'released', fingerprint: '' });
    });

    it('logs each payment that may be charged once as a refund, and settles it', async () => {
      const lease = await leaseFor(store);
      const { payment: sent, transaction } = await submitted(store, lease, payer, 5n, 0);
      const { payment: requeued } = await submitted(store, lease, payer, 6n, 1);
      await store.requeue(lease, [requeued.id]);
      const handedOver = await executed(store, payer, 7n);
      await store.recordHandover(handedOver.id, []);
      const reopened = await openWithNewKey();
      expect(faults.toSorted()).toEqual(
        [sent, requeued, handedOver].map(({ id, authorization: { value } }) =>
          expect.stringMatching(new RegExp(`^Payment ${id} of payer ${payer} over ${value} units`)),
        ),
      );
      expect(await reopened.find(sent.id)).toMatchObject({ state: 'submitted', completion: null });
      expect(await reopened.find(requeued.id)).toMatchObject({ state: 'executed', completion: null });
      expect(await reopened.find(handedOver.id)).toMatchObject({ state: 'executed', completion: null });
      await reopened.settle([sent.id], inclusionAt(101, transaction.hash));
      await reopened.close();
      faults = [];
      const last = await database.open({
        chain,
        completionKey: newKey,
        onFault: (fault) => faults.push(fault),
      });
      expect(await last.find(requeued.id)).toMatchObject({ state: 'executed', completion: null });
      expect(faults).toEqual([]);
    });

    it('never retries a refused payment whose completion is lost', async () => {
      const { id } = await executed(store, payer, 3n);
      await store.fail(id, 'insufficient_funds', null);
      const reopened = await openWithNewKey();
      expect(await reopened.find(id)).toMatchObject({ state: 'failed', completion: null });
      const time = unixSeconds(now + 100);
      expect(await reopened.retry(id, createReading(100n, 101, time), time)).toBeNull();
      expect(faults).toEqual([]);
    });

    it('keeps a delivered payment that a reorganisation reopened, and payments that are reserved', async () => {
      const lease = await leaseFor(store);
      const { payment: ours, transaction } = await submitted(store, lease, payer, 5n, 0);
      await store.settle([ours.id], inclusionAt(101, transaction.hash));
      const theirs = await executed(store, payer, 6n);
      const inclusion = inclusionAt(102);
      await store.settle([theirs.id], inclusion);
      const other = await reserved(store, createClaim(payer, 7n), createReading(100n, 103));
      await store.reopen(transaction.hash);
      await store.reopen(inclusion.txHash);
      const reopened = await openWithNewKey();
      expect(faults).toEqual([]);
      expect(await reopened.find(ours.id)).toMatchObject({ state: 'submitted' });
      expect(await reopened.find(theirs.id)).toMatchObject({ state: 'executed' });
      expect(await reopened.find(other.id)).toMatchObject({ state: 'reserved' });
    });

    it('releases nothing with the same key, or without a chain', async () => {
      const { id } = await executed(store, payer, 3n);
      const same = await openWithNewKey(testCompletionKey);
      expect(await same.find(id)).toMatchObject({ state: 'executed', completion });
      await same.close();
      await database.query('DELETE FROM completion_key');
      const onFault = (fault: string) => faults.push(fault);
      await (await database.open({ completionKey: newKey, onFault })).close();
      expect(faults).toEqual([]);
      const reopened = await database.open({ chain });
      expect(await reopened.find(id)).toMatchObject({ state: 'executed', completion });
    });
  });
}
