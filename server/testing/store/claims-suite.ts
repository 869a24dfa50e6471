import { describe, expect, it } from 'vitest';
import { unixSeconds } from '../../types/units.ts';
import {
  asset,
  availableTo,
  type CreateTestStore,
  completion,
  createClaim,
  createReading,
  executed,
  leaseFor,
  now,
  randomAddress,
  randomBytes32,
  reserved,
  transactionBy,
} from './claims.ts';
import { useTestStore } from './use-test-store.ts';

/** Claims: each is reserved once, until its lease expires. */
export function describeClaims(createTestStore: CreateTestStore): void {
  describe('D-18: a claim', () => {
    const database = useTestStore(createTestStore);

    it('is stored unchanged, whatever its size', async () => {
      const most = (1n << 256n) - 1n;
      const claim = createClaim(database.payer, 5n, {
        settlementType: 'private',
        authorization: { validAfter: most - 1n, validBefore: most },
      });
      const payment = await reserved(database.store, claim, createReading(10n));
      const kept = {
        ...claim,
        id: payment.id,
        state: 'reserved',
        createdAt: now,
        completion: null,
        proof: null,
        isOwed: false,
        owedRuns: 0,
        txHash: null,
        failure: null,
      };
      expect(payment).toEqual(kept);
      expect(await database.store.find(payment.id)).toEqual(kept);
      expect(await database.store.lookUp(asset, database.payer, claim.authorization.nonce)).toEqual(kept);
    });

    it('is known when it is made again, by the same request or another', async () => {
      const claim = createClaim(database.payer, 5n);
      const payment = await reserved(database.store, claim, createReading(10n));
      expect(await database.store.reserve(claim, createReading(10n), now)).toEqual({
        kind: 'known',
        payment,
        sameRequest: true,
      });
      const other = { ...claim, fingerprint: 'other' };
      expect(await database.store.reserve(other, null, now)).toEqual({
        kind: 'known',
        payment,
        sameRequest: false,
      });
      expect(await availableTo(database.store, database.payer)).toBe(5n);
    });

    it('is unique by asset, payer and nonce, not by nonce alone', async () => {
      const nonce = randomBytes32();
      const claims = [
        createClaim(database.payer, 1n, { authorization: { nonce } }),
        createClaim(randomAddress(), 1n, { authorization: { nonce } }),
        createClaim(database.payer, 1n, { asset: randomAddress(), authorization: { nonce } }),
      ];
      const ids = await Promise.all(
        claims.map(async (claim) => (await reserved(database.store, claim, createReading(9n))).id),
      );
      expect(new Set(ids).size).toBe(3);
    });

    it('that is unknown is null', async () => {
      expect(await database.store.find(4_711)).toBeNull();
      expect(await database.store.lookUp(asset, database.payer, randomBytes32())).toBeNull();
    });

    it('is found after reopening the store, with its pending amount', async () => {
      const first = await database.open();
      const { id } = await executed(first, database.payer, 3n, 10n);
      await first.close();
      const reopened = await database.open();
      expect(await reopened.find(id)).toMatchObject({ state: 'executed', completion });
      expect(await availableTo(reopened, database.payer)).toBe(7n);
    });

    it('may be made again after a release, also for another request (D-22)', async () => {
      const claim = createClaim(database.payer, 3n);
      const first = await reserved(database.store, claim, createReading(10n));
      await database.store.release(first.id);
      const other = createClaim(database.payer, 4n, {
        fingerprint: 'other',
        authorization: { nonce: claim.authorization.nonce },
      });
      const again = await reserved(database.store, other, null);
      expect(again).toMatchObject({ state: 'reserved', fingerprint: 'other', completion: null });
      expect(again.authorization).toEqual(other.authorization);
      expect(await availableTo(database.store, database.payer)).toBe(6n);
      expect(await database.store.reserve(other, null, now)).toMatchObject({
        kind: 'known',
        sameRequest: true,
      });
      await database.store.execute(again.id, completion, null);
    });

    it.each(['private', 'batch'] as const)(
      'of %s mode that was released keeps the hash of its request only if it is not private',
      async (settlementType) => {
        const change = { settlementType, fingerprint: 'a hash of the request' };
        const failed = await reserved(
          database.store,
          createClaim(database.payer, 3n, change),
          createReading(10n),
        );
        expect(await database.store.find(failed.id)).toMatchObject({ fingerprint: change.fingerprint });
        await database.store.release(failed.id);
        const leaseUntil = unixSeconds(database.clock.nowSeconds() + 1);
        const abandoned = await reserved(
          database.store,
          createClaim(database.payer, 3n, { ...change, leaseUntil }),
          null,
        );
        await database.store.releaseAbandoned(leaseUntil);
        const kept = {
          state: 'released',
          fingerprint: settlementType === 'private' ? '' : change.fingerprint,
        };
        for (const { id } of [failed, abandoned]) expect(await database.store.find(id)).toMatchObject(kept);
      },
    );

    it('is a new claim when made again: the first caller can no longer end it', async () => {
      const claim = createClaim(database.payer, 3n);
      const first = await reserved(database.store, claim, createReading(10n));
      await database.store.release(first.id);
      const again = await reserved(database.store, claim, null);
      expect(again.id).not.toBe(first.id);
      await expect(database.store.execute(first.id, 'of the first', null)).rejects.toThrow(String(first.id));
      await expect(database.store.release(first.id)).rejects.toThrow(String(first.id));
      expect(await database.store.find(again.id)).toEqual(again);
      expect(await database.store.find(first.id)).toBeNull();
      expect(await availableTo(database.store, database.payer)).toBe(7n);
    });

    it('may be executed until its lease expires, released or not', async () => {
      const until = unixSeconds(database.clock.nowSeconds() + 20);
      const [inTime, late] = [
        await reserved(
          database.store,
          createClaim(database.payer, 3n, { leaseUntil: until }),
          createReading(10n),
        ),
        await reserved(database.store, createClaim(database.payer, 2n, { leaseUntil: until }), null),
      ];
      database.clock.advance(19);
      await database.store.execute(inTime.id, completion, null);
      database.clock.advance(1);
      await expect(database.store.execute(late.id, completion, null)).rejects.toThrow(String(late.id));
      expect(await database.store.find(late.id)).toMatchObject({ state: 'reserved', completion: null });
      await database.store.execute(inTime.id, completion, null);
      await database.store.releaseAbandoned(until);
      expect(await database.store.find(late.id)).toMatchObject({ state: 'released' });
      await expect(database.store.execute(late.id, completion, null)).rejects.toThrow(String(late.id));
    });

    it('accepts the same completion again, for a caller without a response, and no other completion', async () => {
      const { id } = await executed(database.store, database.payer, 3n);
      const lease = await leaseFor(database.store);
      await database.store.execute(id, completion, null);
      await database.store.submit(lease, [id], transactionBy(lease.relayer));
      await database.store.execute(id, completion, null);
      expect(await database.store.find(id)).toMatchObject({ state: 'submitted', completion });
      await expect(database.store.execute(id, 'another', null)).rejects.toThrow(String(id));
      expect(await database.store.find(id)).toMatchObject({ state: 'submitted', completion });
    });

    it('is unchanged by a second release', async () => {
      const { id } = await reserved(database.store, createClaim(database.payer, 3n), createReading(10n));
      await database.store.release(id);
      await database.store.release(id);
      expect(await availableTo(database.store, database.payer)).toBe(10n);
    });

    it('of a caller that died is released when its lease has expired, not before', async () => {
      const until = unixSeconds(now + 50);
      const abandoned = await reserved(
        database.store,
        createClaim(database.payer, 3n, { leaseUntil: until }),
        createReading(10n),
      );
      const alive = await reserved(database.store, createClaim(database.payer, 2n), null);
      expect(await database.store.releaseAbandoned(unixSeconds(until - 1))).toBe(0);
      expect(await database.store.releaseAbandoned(until)).toBe(1);
      expect(await database.store.find(abandoned.id)).toMatchObject({ state: 'released' });
      expect(await database.store.find(alive.id)).toMatchObject({ state: 'reserved' });
      expect(await availableTo(database.store, database.payer)).toBe(8n);
      await expect(database.store.execute(abandoned.id, completion, null)).rejects.toThrow(
        String(abandoned.id),
      );
    });

    it('is deleted after its release, once its lease and the kept time are over (D-140)', async () => {
      const until = unixSeconds(now + 50);
      const claims = [1n, 2n, 3n].map((amount) => createClaim(database.payer, amount, { leaseUntil: until }));
      const [first, second, kept] = claims;
      if (!first || !second || !kept) throw new Error('a claim is missing');
      const reading = createReading(10n);
      const prune = (before: number, max = 1_000) => database.store.pruneReleased(unixSeconds(before), max);
      // Those of other tests.
      await prune(now + 10_000);
      for (const claim of [first, second])
        await database.store.release((await reserved(database.store, claim, reading)).id);
      const { id } = await reserved(database.store, kept, reading);
      expect(await prune(until)).toBe(0);
      expect(await prune(until + 1, 1)).toBe(1);
      expect(await prune(until + 1)).toBe(1);
      expect(await prune(until + 1)).toBe(0);
      expect(await database.store.find(id)).toMatchObject({ state: 'reserved' });
      expect(await availableTo(database.store, database.payer)).toBe(7n);
      // The authorization was not spent, so it may buy again.
      await reserved(database.store, first, reading);
    });

    it('has the lease of its last reservation', async () => {
      const claim = createClaim(database.payer, 3n, { leaseUntil: unixSeconds(now + 30) });
      await database.store.release((await reserved(database.store, claim, createReading(10n))).id);
      const { id } = await reserved(database.store, { ...claim, leaseUntil: unixSeconds(now + 90) }, null);
      await database.store.releaseAbandoned(unixSeconds(now + 89));
      expect(await database.store.find(id)).toMatchObject({ state: 'reserved' });
    });
  });
}
