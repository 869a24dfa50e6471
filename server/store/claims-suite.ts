import { describe, expect, it } from 'vitest';
import { unixSeconds } from '../vocabulary/units.ts';
import {
  answer,
  asset,
  availableTo,
  type CreateTestStore,
  claimOf,
  executed,
  leaseFor,
  now,
  randomAddress,
  randomBytes32,
  readingOf,
  reserved,
  transactionBy,
} from './test-claims.ts';
import { useTestStore } from './use-test-store.ts';

/** What is claimed, once, and until when. */
export function describeClaims(createTestStore: CreateTestStore): void {
  describe('D-18: a claim', () => {
    const door = useTestStore(createTestStore);

    it('is kept as it was made, whatever its size', async () => {
      const most = (1n << 256n) - 1n;
      const claim = claimOf(door.payer, 5n, {
        settlementType: 'private',
        authorization: { validAfter: most - 1n, validBefore: most },
      });
      const payment = await reserved(door.store, claim, readingOf(10n));
      const kept = {
        ...claim,
        id: payment.id,
        state: 'reserved',
        answer: null,
        proof: null,
        txHash: null,
        failure: null,
      };
      expect(payment).toEqual(kept);
      expect(await door.store.find(payment.id)).toEqual(kept);
      expect(await door.store.lookUp(asset, door.payer, claim.authorization.nonce)).toEqual(kept);
    });

    it('made twice is known: by the same request or by another', async () => {
      const claim = claimOf(door.payer, 5n);
      const payment = await reserved(door.store, claim, readingOf(10n));
      expect(await door.store.reserve(claim, readingOf(10n), now)).toEqual({
        kind: 'known',
        payment,
        sameRequest: true,
      });
      const other = { ...claim, fingerprint: 'other' };
      expect(await door.store.reserve(other, null, now)).toEqual({
        kind: 'known',
        payment,
        sameRequest: false,
      });
      expect(await availableTo(door.store, door.payer)).toBe(5n);
    });

    it('is unique by asset, payer and nonce, not by nonce alone', async () => {
      const nonce = randomBytes32();
      const claims = [
        claimOf(door.payer, 1n, { authorization: { nonce } }),
        claimOf(randomAddress(), 1n, { authorization: { nonce } }),
        claimOf(door.payer, 1n, { asset: randomAddress(), authorization: { nonce } }),
      ];
      const ids = await Promise.all(
        claims.map(async (claim) => (await reserved(door.store, claim, readingOf(9n))).id),
      );
      expect(new Set(ids).size).toBe(3);
    });

    it('that is not there is null', async () => {
      expect(await door.store.find(4_711)).toBeNull();
      expect(await door.store.lookUp(asset, door.payer, randomBytes32())).toBeNull();
    });

    it('is there behind another door, as is what it pays for', async () => {
      const first = await door.open();
      const { id } = await executed(first, door.payer, 3n, 10n);
      await first.close();
      const reopened = await door.open();
      expect(await reopened.find(id)).toMatchObject({ state: 'executed', answer });
      expect(await availableTo(reopened, door.payer)).toBe(7n);
    });

    it('released, may be made again, for another request too (D-22)', async () => {
      const claim = claimOf(door.payer, 3n);
      const first = await reserved(door.store, claim, readingOf(10n));
      await door.store.release(first.id);
      const other = claimOf(door.payer, 4n, {
        fingerprint: 'other',
        authorization: { nonce: claim.authorization.nonce },
      });
      const again = await reserved(door.store, other, null);
      expect(again).toMatchObject({ state: 'reserved', fingerprint: 'other', answer: null });
      expect(again.authorization).toEqual(other.authorization);
      expect(await availableTo(door.store, door.payer)).toBe(6n);
      expect(await door.store.reserve(other, null, now)).toMatchObject({ kind: 'known', sameRequest: true });
      await door.store.execute(again.id, answer, null);
    });

    it.each(['private', 'batch'] as const)(
      'of %s mode that came to nothing keeps a hash of its request only where that is no secret',
      async (settlementType) => {
        const change = { settlementType, fingerprint: 'a hash of the request' };
        const failed = await reserved(door.store, claimOf(door.payer, 3n, change), readingOf(10n));
        expect(await door.store.find(failed.id)).toMatchObject({ fingerprint: change.fingerprint });
        await door.store.release(failed.id);
        const leaseUntil = unixSeconds(door.clock.nowSeconds() + 1);
        const abandoned = await reserved(
          door.store,
          claimOf(door.payer, 3n, { ...change, leaseUntil }),
          null,
        );
        await door.store.releaseAbandoned(leaseUntil);
        const kept = {
          state: 'released',
          fingerprint: settlementType === 'private' ? '' : change.fingerprint,
        };
        for (const { id } of [failed, abandoned]) expect(await door.store.find(id)).toMatchObject(kept);
      },
    );

    it('made again is another claim: whoever made the first can end it no more', async () => {
      const claim = claimOf(door.payer, 3n);
      const first = await reserved(door.store, claim, readingOf(10n));
      await door.store.release(first.id);
      const again = await reserved(door.store, claim, null);
      expect(again.id).not.toBe(first.id);
      await expect(door.store.execute(first.id, 'of the first', null)).rejects.toThrow(String(first.id));
      await expect(door.store.release(first.id)).rejects.toThrow(String(first.id));
      expect(await door.store.find(again.id)).toEqual(again);
      expect(await door.store.find(first.id)).toBeNull();
      expect(await availableTo(door.store, door.payer)).toBe(7n);
    });

    it('may be executed until its lease ran out, given back or not', async () => {
      const until = unixSeconds(door.clock.nowSeconds() + 20);
      const [inTime, late] = [
        await reserved(door.store, claimOf(door.payer, 3n, { leaseUntil: until }), readingOf(10n)),
        await reserved(door.store, claimOf(door.payer, 2n, { leaseUntil: until }), null),
      ];
      door.clock.advance(19);
      await door.store.execute(inTime.id, answer, null);
      door.clock.advance(1);
      await expect(door.store.execute(late.id, answer, null)).rejects.toThrow(String(late.id));
      expect(await door.store.find(late.id)).toMatchObject({ state: 'reserved', answer: null });
      await door.store.execute(inTime.id, answer, null);
      await door.store.releaseAbandoned(until);
      expect(await door.store.find(late.id)).toMatchObject({ state: 'released' });
      await expect(door.store.execute(late.id, answer, null)).rejects.toThrow(String(late.id));
    });

    it('executed with the same answer again, for who did not hear of the first time, and with no other', async () => {
      const { id } = await executed(door.store, door.payer, 3n);
      const lease = await leaseFor(door.store);
      await door.store.execute(id, answer, null);
      await door.store.submit(lease, [id], transactionBy(lease.relayer));
      await door.store.execute(id, answer, null);
      expect(await door.store.find(id)).toMatchObject({ state: 'submitted', answer });
      await expect(door.store.execute(id, 'another', null)).rejects.toThrow(String(id));
      expect(await door.store.find(id)).toMatchObject({ state: 'submitted', answer });
    });

    it('released again is nothing', async () => {
      const { id } = await reserved(door.store, claimOf(door.payer, 3n), readingOf(10n));
      await door.store.release(id);
      await door.store.release(id);
      expect(await availableTo(door.store, door.payer)).toBe(10n);
    });

    it('whose maker is gone is given back when its lease ran out, not before', async () => {
      const until = unixSeconds(now + 50);
      const abandoned = await reserved(
        door.store,
        claimOf(door.payer, 3n, { leaseUntil: until }),
        readingOf(10n),
      );
      const alive = await reserved(door.store, claimOf(door.payer, 2n), null);
      expect(await door.store.releaseAbandoned(unixSeconds(until - 1))).toBe(0);
      expect(await door.store.releaseAbandoned(until)).toBe(1);
      expect(await door.store.find(abandoned.id)).toMatchObject({ state: 'released' });
      expect(await door.store.find(alive.id)).toMatchObject({ state: 'reserved' });
      expect(await availableTo(door.store, door.payer)).toBe(8n);
      await expect(door.store.execute(abandoned.id, answer, null)).rejects.toThrow(String(abandoned.id));
    });

    it('carries the lease of the last time that it was made', async () => {
      const claim = claimOf(door.payer, 3n, { leaseUntil: unixSeconds(now + 30) });
      await door.store.release((await reserved(door.store, claim, readingOf(10n))).id);
      const { id } = await reserved(door.store, { ...claim, leaseUntil: unixSeconds(now + 90) }, null);
      await door.store.releaseAbandoned(unixSeconds(now + 89));
      expect(await door.store.find(id)).toMatchObject({ state: 'reserved' });
    });
  });
}
