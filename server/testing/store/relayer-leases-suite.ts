import { beforeEach, describe, expect, it } from 'vitest';
import { type RelayerLease, StaleFence } from '../../store/relayer-lease.ts';
import type { Store } from '../../store/store.ts';
import { type Address, unixSeconds } from '../../types/units.ts';
import {
  type CreateTestStore,
  createClaim,
  createReading,
  executed,
  leaseFor,
  now,
  randomAddress,
  reserved,
  submitted,
  transactionBy,
} from './claims.ts';
import { useTestStore } from './use-test-store.ts';

const until = unixSeconds(now + 60);
const after = unixSeconds(now + 61);

/** The right to write for a relayer, and the claims of payments. */
export function describeRelayerLeases(createTestStore: CreateTestStore): void {
  describe('The lease of a relayer', () => {
    const database = useTestStore(createTestStore);
    // Claims everything that the test before left.
    beforeEach(async () => {
      const long = unixSeconds(now + 1_000_000);
      const lease = await database.store.leaseRelayer(randomAddress(), 'cleanup', long, now);
      database.clock.advance(61);
      if (lease !== null) await database.store.claimExecuted(lease, 1_000, now);
      database.clock.advance(-61);
    });

    it('is held by one owner, who may renew it, until it expires', async () => {
      const relayer = randomAddress();
      expect(await database.store.leaseRelayer(relayer, 'one', until, now)).toEqual({ relayer, fence: 1 });
      expect(await database.store.leaseRelayer(relayer, 'other', until, now)).toBeNull();
      const renewed = unixSeconds(until + 60);
      expect(await database.store.leaseRelayer(relayer, 'one', renewed, now)).toEqual({ relayer, fence: 1 });
      expect(await database.store.leaseRelayer(relayer, 'other', renewed, after)).toBeNull();
      const taken = await database.store.leaseRelayer(relayer, 'other', unixSeconds(renewed + 60), renewed);
      expect(taken).toEqual({ relayer, fence: 2 });
      expect(
        await database.store.leaseRelayer(relayer, 'one', unixSeconds(renewed + 60), renewed),
      ).toBeNull();
    });

    it('is free at once after its end, and its last owner cannot write', async () => {
      const lease = await leaseFor(database.store);
      await database.store.endLease(lease);
      await expect(database.store.claimExecuted(lease, 1, now)).rejects.toBeInstanceOf(StaleFence);
      const other = await database.store.leaseRelayer(lease.relayer, 'other', until, now);
      expect(other?.fence).toBeGreaterThan(lease.fence);
      // The old owner cannot end the lease of another.
      await database.store.endLease(lease);
      expect(await database.store.leaseRelayer(lease.relayer, 'third', until, now)).toBeNull();
    });

    it('rejects every write with a stale fence', async () => {
      const lease = await leaseFor(database.store);
      const { payment } = await submitted(database.store, lease, database.payer, 1n, 4);
      const { id } = await executed(database.store, database.payer, 1n);
      const current = await takenOver(database.store, lease);
      const before = await everything();
      const attempts: Record<string, () => Promise<unknown>> = {
        claimExecuted: () => database.store.claimExecuted(lease, 10, now),
        submit: () => database.store.submit(lease, [id], transactionBy(lease.relayer, 5)),
        requeue: () => database.store.requeue(lease, [payment.id]),
        closeNonce: () => database.store.closeNonce(lease, 4),
        abandonNonce: () => database.store.abandonNonce(lease, 4),
      };
      for (const [name, attempt] of Object.entries(attempts)) {
        await expect(attempt(), name).rejects.toBeInstanceOf(StaleFence);
        expect(await everything(), name).toEqual(before);
      }
      await database.store.requeue(current, [payment.id]);
      await database.store.closeNonce(current, 4);
      await database.store.endLease(current);
    });

    it('rejects a fence that was never given', async () => {
      const lease = await leaseFor(database.store);
      for (const wrong of [
        { ...lease, fence: lease.fence + 1 },
        { ...lease, relayer: randomAddress() },
      ]) {
        await expect(database.store.claimExecuted(wrong, 1, now)).rejects.toBeInstanceOf(StaleFence);
      }
    });

    it('claims payments by the end of their window, up to the limit, and none twice', async () => {
      const [late, early, middle] = await Promise.all([900n, 300n, 600n].map(executedUntil));
      const lease = await leaseFor(database.store);
      const first = await database.store.claimExecuted(lease, 2, now);
      expect(first.map(({ id }) => id)).toEqual([early, middle]);
      expect(first[0]).toEqual(await database.store.find(early ?? 0));
      expect((await database.store.claimExecuted(lease, 2, now)).map(({ id }) => id)).toEqual([late]);
      expect(await database.store.claimExecuted(lease, 2, now)).toEqual([]);
    });

    it('claims only payments that the token accepts by now: validAfter is compared strictly', async () => {
      const validAfter = BigInt(now) + 10n;
      const payment = await reserved(
        database.store,
        createClaim(database.payer, 1n, { authorization: { validAfter } }),
        createReading(9n),
      );
      await database.store.execute(payment.id, '{}', null);
      const lease = await leaseFor(database.store);
      expect(await database.store.claimExecuted(lease, 9, unixSeconds(now + 10))).toEqual([]);
      expect(
        (await database.store.claimExecuted(lease, 9, unixSeconds(now + 11))).map(({ id }) => id),
      ).toEqual([payment.id]);
    });

    it('claims no payment to an excluded recipient, and all others (D-176)', async () => {
      const [left, taken] = [randomAddress(), randomAddress()];
      const ids: number[] = [];
      for (const to of [left, left, taken]) {
        const claim = createClaim(database.payer, 1n, { authorization: { to } });
        const { id } = await reserved(database.store, claim, createReading(100n));
        await database.store.execute(id, '{}', null);
        ids.push(id);
      }
      const lease = await leaseFor(database.store);
      const claimed = await database.store.claimExecuted(lease, 2, now, [left]);
      expect(claimed.map(({ id }) => id)).toEqual(ids.slice(2));
      expect((await database.store.claimExecuted(lease, 9, now)).map(({ id }) => id)).toEqual(
        ids.slice(0, 2),
      );
    });

    it("skips claimed payments until the claimer's lease has expired; the claimer then cannot write", async () => {
      const { id } = await executed(database.store, database.payer, 1n);
      const [slow, quick] = [await leaseFor(database.store), await leaseFor(database.store)];
      expect(await database.store.claimExecuted(slow, 9, now)).toMatchObject([{ id }]);
      expect(await database.store.claimExecuted(quick, 9, now)).toEqual([]);
      database.clock.advance(61);
      const freed = await database.store
        .claimExecuted(quick, 9, now)
        .finally(() => database.clock.advance(-61));
      expect(freed).toMatchObject([{ id }]);
      await expect(database.store.submit(slow, [id], transactionBy(slow.relayer))).rejects.toBeInstanceOf(
        StaleFence,
      );
      await database.store.submit(quick, [id], transactionBy(quick.relayer));
    });

    it('frees claimed payments when taken over, and keeps submitted ones with their relayer', async () => {
      const lease = await leaseFor(database.store);
      const { payment, transaction } = await submitted(database.store, lease, database.payer, 1n, 3);
      const { id } = await executed(database.store, database.payer, 1n);
      await database.store.claimExecuted(lease, 9, now);
      const heir = await takenOver(database.store, lease);
      expect(await database.store.claimExecuted(heir, 9, now)).toMatchObject([{ id }]);
      const bumped = transactionBy(lease.relayer, 3);
      await database.store.submit(heir, [payment.id], bumped);
      expect(await database.store.openNonces(lease.relayer)).toMatchObject([
        { relayerNonce: 3, transactions: [bumped, transaction], payments: [{ id: payment.id }] },
      ]);
    });

    it('lists the relayers with submitted payments, each once (D-222)', async () => {
      const [lease, other] = [await leaseFor(database.store), await leaseFor(database.store)];
      const both = [lease.relayer, other.relayer];
      const listed = async () =>
        (await database.store.submittedRelayers()).filter((relayer) => both.includes(relayer));
      expect(await listed()).toEqual([]);
      const { payment } = await submitted(database.store, lease, database.payer, 1n, 3);
      const { payment: later } = await submitted(database.store, lease, database.payer, 1n, 4);
      await submitted(database.store, other, database.payer, 1n, 3);
      await database.store.requeue(lease, [payment.id]);
      expect((await listed()).toSorted()).toEqual(both.toSorted());
      await database.store.requeue(lease, [later.id]);
      expect(await listed()).toEqual([other.relayer]);
    });

    it('frees its own claims that it could not submit', async () => {
      const { id } = await executed(database.store, database.payer, 1n);
      const [lease, other] = [await leaseFor(database.store), await leaseFor(database.store)];
      await database.store.claimExecuted(lease, 9, now);
      await expect(database.store.requeue(other, [id])).rejects.toThrow(String(id));
      await database.store.requeue(lease, [id]);
      expect(await database.store.claimExecuted(other, 9, now)).toMatchObject([{ id, state: 'executed' }]);
    });

    it('submits no payment of another relayer', async () => {
      const { id } = await executed(database.store, database.payer, 1n);
      const [lease, other] = [await leaseFor(database.store), await leaseFor(database.store)];
      await database.store.claimExecuted(lease, 9, now);
      await expect(database.store.submit(other, [id], transactionBy(other.relayer))).rejects.toThrow(
        String(id),
      );
      await database.store.submit(lease, [id], transactionBy(lease.relayer));
      await expect(database.store.submit(other, [id], transactionBy(other.relayer))).rejects.toThrow(
        String(id),
      );
      expect(await database.store.openNonces(other.relayer)).toEqual([]);
      await expect(
        database.store.submit(other, [], transactionBy(lease.relayer, 1)),
        'a transaction of another relayer',
      ).rejects.toThrow('another relayer');
    });

    async function executedUntil(inSeconds: bigint): Promise<number> {
      const validBefore = BigInt(now) + inSeconds;
      const claim = createClaim(database.payer, 1n, { authorization: { validBefore } });
      const { id } = await reserved(database.store, claim, createReading(100n));
      await database.store.execute(id, '{}', null);
      return id;
    }

    async function everything(): Promise<unknown> {
      return [
        await database.query('SELECT * FROM payment ORDER BY id'),
        await database.query('SELECT * FROM chain_tx ORDER BY id'),
        await database.query('SELECT * FROM relayer_lease ORDER BY relayer'),
      ];
    }
  });
}

/** Leases the relayer for another process, after the first lease expired without an end. */
async function takenOver(store: Store, { relayer }: { readonly relayer: Address }): Promise<RelayerLease> {
  const heir = await store.leaseRelayer(relayer, 'another process', unixSeconds(after + 600), after);
  if (heir === null) throw new Error('the lease is held');
  return heir;
}
