import { describe, expect, it } from 'vitest';
import { joinKeepSeconds, type Purchase } from '../../store/purchase.ts';
import type { Claim, PaymentRecord, Reserved } from '../../store/store.ts';
import { undecidedFailure } from '../../types/payment-states.ts';
import { unixSeconds } from '../../types/units.ts';
import {
  asset,
  availableTo,
  type CreateTestStore,
  completion,
  createClaim,
  createReading,
  inclusionAt,
  now,
  randomAddress,
  randomBytes32,
} from './claims.ts';
import { useTestStore } from './use-test-store.ts';

/** Purchases that are paid once, although their payers sign several authorizations. */
export function describeJoins(createTestStore: CreateTestStore): void {
  describe('D-258: a new authorization for the same purchase', () => {
    const database = useTestStore(createTestStore);

    function newPurchase(isRetry = false): Purchase {
      return { hash: randomBytes32(), isRetry };
    }

    async function claimFor(purchase: Purchase, change: Parameters<typeof createClaim>[2] = {}) {
      const claim = createClaim(database.payer, 3n, change);
      return { claim, result: await reserve(claim, purchase) };
    }

    function reserve(claim: Claim, purchase: Purchase): Promise<Reserved> {
      return database.store.reserve(claim, createReading(100n), now, purchase);
    }

    /** Reserves the first payment of a purchase. */
    async function buy(
      purchase: Purchase,
      change: Parameters<typeof createClaim>[2] = {},
    ): Promise<PaymentRecord> {
      const { result } = await claimFor(purchase, change);
      if (result.kind !== 'reserved') throw new Error(`not reserved but ${result.kind}`);
      return result.payment;
    }

    async function lookUp({ authorization: { from, nonce } }: Claim, purchase?: Purchase) {
      return database.store.lookUp(asset, from, nonce, purchase);
    }

    async function settled(purchase: Purchase): Promise<PaymentRecord> {
      const payment = await buy(purchase);
      await database.store.execute(payment.id, completion, null);
      await database.store.settle([payment.id], inclusionAt(101));
      return payment;
    }

    it('joins while the first payment is reserved, executed or settled, and holds no amount', async () => {
      const purchase = newPurchase();
      const { id } = await buy(purchase);
      for (const step of [
        async () => undefined,
        () => database.store.execute(id, completion, null),
        () => database.store.settle([id], inclusionAt(101)),
        () => database.store.finalise(101),
      ]) {
        await step();
        const found = await lookUp(createClaim(database.payer, 3n), purchase);
        expect(found).toMatchObject({ id });
        const { result } = await claimFor(purchase);
        expect(result).toMatchObject({ kind: 'known', sameRequest: true, payment: found });
      }
      expect(await availableTo(database.store, database.payer)).toBe(97n);
    });

    it('does not join without a purchase, for another purchase, or a payment without one', async () => {
      const purchase = newPurchase();
      await buy(purchase);
      await database.store.reserve(createClaim(database.payer, 3n), createReading(100n), now);
      for (const other of [undefined, newPurchase()]) {
        const claim = createClaim(database.payer, 3n);
        expect(await lookUp(claim, other)).toBeNull();
        const result = await database.store.reserve(claim, createReading(100n), now, other);
        expect(result.kind).toBe('reserved');
      }
    });

    it('does not join after the delivery, unless it is a retry', async () => {
      const purchase = newPurchase();
      const { id } = await settled(purchase);
      await database.store.recordDeliveries([id]);
      const claim = createClaim(database.payer, 3n);
      expect(await lookUp(claim, purchase)).toBeNull();
      expect(await lookUp(claim, { ...purchase, isRetry: true })).toMatchObject({ id });
      const retry = await claimFor({ ...purchase, isRetry: true });
      expect(retry.result).toMatchObject({ kind: 'known', payment: { id } });
      const second = await buy(purchase);
      expect(second.id).not.toBe(id);
      // The newest payment of a purchase is the one to join.
      expect((await claimFor(purchase)).result).toMatchObject({ kind: 'known', payment: { id: second.id } });
    });

    it('is never charged: it finds the same payment again after the delivery and after a restart', async () => {
      const purchase = newPurchase();
      const { id } = await settled(purchase);
      const { claim } = await claimFor(purchase);
      await database.store.recordDeliveries([id]);
      const other = await database.open();
      for (const store of [database.store, other]) {
        expect(await store.lookUp(asset, database.payer, claim.authorization.nonce)).toMatchObject({ id });
        const again = await store.reserve(claim, createReading(100n), now, purchase);
        expect(again).toMatchObject({ kind: 'known', sameRequest: true, payment: { id } });
        const misused = await store.reserve(
          { ...claim, fingerprint: 'other' },
          createReading(100n),
          now,
          newPurchase(),
        );
        expect(misused).toMatchObject({ kind: 'known', sameRequest: false, payment: { id } });
      }
      await database.store.dropCompletion(id);
      expect(await lookUp(claim)).toMatchObject({ id, completion: null });
    });

    it('does not join a payment whose completion was dropped, also as a retry', async () => {
      const purchase = newPurchase(true);
      const { id } = await settled(purchase);
      await database.store.dropCompletion(id);
      expect(await lookUp(createClaim(database.payer, 3n), purchase)).toBeNull();
      await buy(purchase);
      expect(await database.query(`SELECT 1 FROM purchase WHERE payment_id = ${id}`)).toEqual([]);
    });

    it.each(['fail', 'expire'] as const)('does not join a payment after %s', async (end) => {
      const purchase = newPurchase(true);
      const { id } = await buy(purchase);
      await database.store.execute(id, completion, null);
      if (end === 'fail') await database.store.fail(id, 'insufficient_funds', null);
      else await database.store.expire(id);
      expect(await lookUp(createClaim(database.payer, 3n), purchase)).toBeNull();
      await buy(purchase);
    });

    it('joins an undecided payment, which the chain may have charged, until the chain decides', async () => {
      const purchase = newPurchase();
      const { id } = await buy(purchase);
      await database.store.execute(id, completion, null);
      await database.store.fail(id, undecidedFailure, null);
      const { claim, result } = await claimFor(purchase);
      expect(result).toMatchObject({ kind: 'known', sameRequest: true, payment: { id } });
      await database.store.closeRefused([id]);
      expect(await lookUp(createClaim(database.payer, 3n), purchase)).toBeNull();
      expect(await lookUp(claim, purchase)).toMatchObject({ id });
    });

    it('is free again when the payment that it joined is released', async () => {
      const purchase = newPurchase();
      const { id } = await buy(purchase);
      const { claim } = await claimFor(purchase);
      await database.store.release(id);
      expect(await lookUp(claim, purchase)).toBeNull();
      expect(await reserve(claim, purchase)).toMatchObject({ kind: 'reserved' });
      expect(await database.query(`SELECT 1 FROM purchase WHERE payment_id = ${id}`)).toEqual([]);
    });

    it('does not join a reservation whose lease ended', async () => {
      const purchase = newPurchase();
      const leaseUntil = unixSeconds(database.clock.nowSeconds());
      const first = await buy(purchase, { leaseUntil });
      expect(await lookUp(createClaim(database.payer, 3n), purchase)).toBeNull();
      expect((await buy(purchase)).id).not.toBe(first.id);
    });

    it('does not join when its key named another request, and can still pay for one', async () => {
      const purchase = newPurchase(true);
      const { id } = await buy(purchase);
      const { claim, result } = await claimFor(purchase, { fingerprint: 'other' });
      expect(result).toMatchObject({ kind: 'known', sameRequest: false, payment: { id } });
      expect(await reserve(claim, newPurchase())).toMatchObject({ kind: 'reserved' });
    });

    it('200 at the same time reserve one payment', async () => {
      const purchase = newPurchase();
      const other = await database.open();
      const results = await Promise.all(
        Array.from({ length: 200 }, (_, at) =>
          (at % 2 === 0 ? database.store : other).reserve(
            createClaim(database.payer, 3n),
            createReading(100n),
            now,
            purchase,
          ),
        ),
      );
      expect(results.filter(({ kind }) => kind === 'reserved')).toHaveLength(1);
      expect(results.filter(({ kind }) => kind === 'known')).toHaveLength(199);
      expect(await availableTo(database.store, database.payer)).toBe(97n);
    });

    it('is forgotten when its window has ended and the completion is dropped, not before', async () => {
      await database.store.pruneJoins(unixSeconds(now + 2 * joinKeepSeconds), 1_000);
      const purchase = newPurchase();
      const { id } = await settled(purchase);
      const { claim: short } = await claimFor(purchase);
      const { claim: long } = await claimFor(purchase, { authorization: { validBefore: 1n << 40n } });
      const isKept = async (claim: Claim) => (await lookUp(claim)) !== null;
      const end = unixSeconds(Number(short.authorization.validBefore) + 1);
      expect(await database.store.pruneJoins(end, 10)).toBe(0);
      await database.store.dropCompletion(id);
      expect(await database.store.pruneJoins(now, 10)).toBe(0);
      expect([await isKept(short), await isKept(long)]).toEqual([true, true]);
      expect(await database.store.pruneJoins(end, 10)).toBe(1);
      expect([await isKept(short), await isKept(long)]).toEqual([false, true]);
      expect(await database.store.pruneJoins(unixSeconds(now + joinKeepSeconds + 1), 10)).toBe(1);
      expect(await isKept(long)).toBe(false);
    });

    it('joins no payment of an older version', async () => {
      const purchase = newPurchase(true);
      const { id } = await settled(purchase);
      await database.query(`DELETE FROM purchase WHERE payment_id = ${id}`);
      expect(await lookUp(createClaim(randomAddress(), 3n), purchase)).toBeNull();
    });
  });
}
