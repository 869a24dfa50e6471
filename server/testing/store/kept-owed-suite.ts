import { describe, expect, it } from 'vitest';
import { owedRunsMax } from '../../store/owed.ts';
import { joinKeepSeconds, type Purchase } from '../../store/purchase.ts';
import { LeaseLost } from '../../store/relayer-lease.ts';
import { undecidedFailure } from '../../types/payment-states.ts';
import { unixSeconds } from '../../types/units.ts';
import {
  asset,
  type CreateTestStore,
  completion,
  createClaim,
  createReading,
  inclusionAt,
  leaseFor,
  now,
  owed,
  proofIn,
  proofLedger,
  randomBytes32,
} from './claims.ts';
import { proofsThatDoNotAddUp } from './proof-batches-suite.ts';
import { useTestStore } from './use-test-store.ts';

/** How long the store keeps owed payments, and what joins them. */
export function describeKeptOwed(createTestStore: CreateTestStore): void {
  describe('D-272: an owed payment is kept', () => {
    const database = useTestStore(createTestStore);
    const find = (id: number) => database.store.find(id);
    const time = (seconds = 0) => unixSeconds(database.clock.steadySeconds() + seconds);
    const newPurchase = (): Purchase => ({ hash: randomBytes32(), isRetry: false });
    const isJoined = async (purchase: Purchase) => {
      const { nonce } = createClaim(database.payer, 3n).authorization;
      return (await database.store.lookUp(asset, database.payer, nonce, purchase)) !== null;
    };
    const drop = () => database.store.dropOwedBefore(time(1));

    it('by every operation that drops completions', async () => {
      const settled = await owed(database, 'private');
      const refused = await owed(database, 'private');
      await database.store.settle([settled.id], inclusionAt(101));
      await database.store.fail(refused.id, 'insufficient_funds', null);
      const later = unixSeconds(time() + 1_000_000);
      await database.store.dropCompletion(settled.id);
      expect(await database.store.dropCompletionsBefore(later)).toBe(0);
      expect(await database.store.dropRefusedCompletionsBefore(later)).toBe(0);
      for (const { id, fingerprint } of [settled, refused])
        expect(await find(id)).toMatchObject({ isOwed: true, fingerprint });
    });

    it('until the chain can no longer accept it', async () => {
      const purchase = newPurchase();
      const payment = await owed(database, 'private', purchase);
      await database.store.fail(payment.id, undecidedFailure, null);
      expect(await isJoined(purchase), 'the chain may have charged it').toBe(true);
      await database.store.closeRefused([payment.id]);
      const write = database.store.completeOwed(payment.id, payment.leaseUntil, completion, null);
      await expect(write).rejects.toThrow(LeaseLost);
      expect(await find(payment.id)).toMatchObject({ completion: null, isOwed: false, fingerprint: '' });
      expect(await isJoined(purchase)).toBe(false);
      expect(await database.query(`SELECT 1 FROM purchase WHERE payment_id = ${payment.id}`)).toEqual([]);
    });

    it('from the completion on as long as another completion from its settlement on', async () => {
      const { id, leaseUntil } = await owed(database);
      await database.store.settle([id], inclusionAt(101));
      database.clock.advance(1_000);
      await database.store.completeOwed(id, leaseUntil, completion, null);
      await database.store.dropCompletionsBefore(time());
      expect(await find(id)).toMatchObject({ completion });
      expect(await database.store.dropCompletionsBefore(time(1))).toBe(1);
    });

    it('until it is given up some time after its settlement, and is returned then', async () => {
      // The leases of earlier tests end.
      database.clock.advance(100);
      await drop();
      const purchase = newPurchase();
      const payment = await owed(database, 'private', purchase);
      const { id, leaseUntil } = payment;
      database.clock.advance(100);
      expect(await drop(), 'it is not settled').toEqual([]);
      await database.store.settle([id], inclusionAt(101));
      expect(await database.store.dropOwedBefore(time())).toEqual([]);
      expect(await database.store.owedTotals()).toEqual({ payments: 1, amount: 3n });
      const taken = await database.store.takeOwed(id, time(60), time());
      expect(await drop(), 'a run has a lease').toEqual([]);
      await database.store.endOwedRun(id, taken?.leaseUntil ?? leaseUntil);
      expect(await drop()).toEqual([{ id, payer: database.payer, amount: 3n }]);
      expect(await drop()).toEqual([]);
      expect(await database.store.owedTotals()).toEqual({ payments: 0, amount: 0n });
      expect(await find(id)).toMatchObject({ state: 'settled', isOwed: false, fingerprint: '' });
      expect(await database.store.takeOwed(id, time(60), time(1_000))).toBeNull();
      expect(await isJoined(purchase)).toBe(false);
      const write = database.store.completeOwed(id, time(), completion, null);
      await expect(write).rejects.toThrow(LeaseLost);
    });

    it('while a reorganisation has removed its settlement', async () => {
      const { id, leaseUntil } = await owed(database);
      const inclusion = inclusionAt(101);
      await database.store.settle([id], inclusion);
      await database.store.endOwedRun(id, leaseUntil);
      await database.store.reopen(inclusion.txHash);
      expect(await drop()).toEqual([]);
      expect(await database.store.owedTotals()).toEqual({ payments: 0, amount: 0n });
      expect(await find(id)).toMatchObject({ state: 'executed', isOwed: true });
    });

    it('and joined until its last rerun failed, so that the payer can buy the request again', async () => {
      const purchase = newPurchase();
      let payment = await owed(database, 'batch', purchase);
      for (let run = 1; run <= owedRunsMax; run++) {
        await database.store.endOwedRun(payment.id, payment.leaseUntil);
        expect(await isJoined(purchase)).toBe(true);
        payment = (await database.store.takeOwed(payment.id, time(60), time())) ?? payment;
      }
      expect(payment.owedRuns).toBe(owedRunsMax);
      expect(await isJoined(purchase), 'the last rerun has a lease').toBe(true);
      await database.store.endOwedRun(payment.id, payment.leaseUntil);
      expect(await isJoined(purchase)).toBe(false);
    });

    it('with its fingerprint when it is not private', async () => {
      const { id, leaseUntil, fingerprint } = await owed(database);
      await database.store.settle([id], inclusionAt(101));
      await database.store.endOwedRun(id, leaseUntil);
      expect(await drop()).toHaveLength(1);
      expect(await find(id)).toMatchObject({ isOwed: false, fingerprint });
    });

    it('with the authorizations that join it in every state, also after their windows', async () => {
      const purchase = newPurchase();
      const { id, leaseUntil } = await owed(database, 'batch', purchase);
      const claim = createClaim(database.payer, 3n);
      for (const step of [
        async () => undefined,
        () => database.store.settle([id], inclusionAt(101)),
        () => database.store.finalise(101),
      ]) {
        await step();
        expect(await isJoined(purchase)).toBe(true);
        const joined = await database.store.reserve(claim, createReading(100n), now, purchase);
        expect(joined).toMatchObject({ kind: 'known', sameRequest: true, payment: { id, isOwed: true } });
      }
      const prune = () => database.store.pruneJoins(unixSeconds(time() + 2 * joinKeepSeconds), 1_000);
      expect(await prune()).toBe(0);
      await database.store.completeOwed(id, leaseUntil, completion, null);
      expect(await isJoined(purchase), 'its completion is kept').toBe(true);
      await database.store.recordDeliveries([id]);
      expect(await isJoined(purchase)).toBe(false);
      await database.store.dropCompletion(id);
      expect(await prune()).toBe(1);
    });

    it('and paid and completed at the same time, in any order, with each proof due', async () => {
      const other = await database.open();
      const payments = await Promise.all(Array.from({ length: 30 }, () => owed(database)));
      const proofs = payments.map(() => proofIn('batch'));
      for (const { record } of proofs)
        if (record) await database.store.addSigner(record.signer, '{}', proofLedger);
      const inclusion = inclusionAt(101);
      const settle = (from: number) =>
        other.settle(
          payments.slice(from, from + 10).map(({ id }) => id),
          inclusion,
        );
      const complete = ({ id, leaseUntil }: (typeof payments)[number], at: number) =>
        (at % 2 === 0 ? database.store : other).completeOwed(id, leaseUntil, completion, proofs[at] ?? null);
      await Promise.all([
        settle(0),
        ...payments.toReversed().map((each, at) => complete(each, at)),
        settle(10),
      ]);
      const lease = await leaseFor(database.store);
      expect(await database.store.formBatch(lease, proofLedger, 100)).toMatchObject({
        proofs: { length: 20 },
      });
      await Promise.all([settle(20), other.reopen(inclusion.txHash)]);
      for (const { id } of payments) expect(await find(id)).toMatchObject({ completion, isOwed: false });
      const wrong = await database.query(proofsThatDoNotAddUp);
      const ids = new Set(payments.map(({ id }) => id));
      expect(wrong.filter(({ what, id }) => what !== 'missing' || ids.has(Number(id)))).toEqual([]);
    });
  });
}
