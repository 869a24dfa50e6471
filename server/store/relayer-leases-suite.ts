import { beforeEach, describe, expect, it } from 'vitest';
import { type Address, unixSeconds } from '../vocabulary/units.ts';
import { type RelayerLease, StaleFence, type Store } from './store.ts';
import {
  type CreateTestStore,
  claimOf,
  executed,
  leaseFor,
  now,
  randomAddress,
  readingOf,
  reserved,
  submitted,
  transactionBy,
} from './test-claims.ts';
import { useTestStore } from './use-test-store.ts';

const until = unixSeconds(now + 60);
const after = unixSeconds(now + 61);

/** Who may write for a relayer, and which payments are whose. */
export function describeRelayerLeases(createTestStore: CreateTestStore): void {
  describe('The lease of a relayer', () => {
    const door = useTestStore(createTestStore);
    // What the test before left for the taking is taken, for good.
    beforeEach(async () => {
      const long = unixSeconds(now + 1_000_000);
      const lease = await door.store.leaseRelayer(randomAddress(), 'broom', long, now);
      door.clock.advance(61);
      if (lease !== null) await door.store.claimExecuted(lease, 1_000, now);
      door.clock.advance(-61);
    });

    it('is held by one owner, who may renew the hold, until it runs out', async () => {
      const relayer = randomAddress();
      expect(await door.store.leaseRelayer(relayer, 'one', until, now)).toEqual({ relayer, fence: 1 });
      expect(await door.store.leaseRelayer(relayer, 'other', until, now)).toBeNull();
      const renewed = unixSeconds(until + 60);
      expect(await door.store.leaseRelayer(relayer, 'one', renewed, now)).toEqual({ relayer, fence: 1 });
      expect(await door.store.leaseRelayer(relayer, 'other', renewed, after)).toBeNull();
      const taken = await door.store.leaseRelayer(relayer, 'other', unixSeconds(renewed + 60), renewed);
      expect(taken).toEqual({ relayer, fence: 2 });
      expect(await door.store.leaseRelayer(relayer, 'one', unixSeconds(renewed + 60), renewed)).toBeNull();
    });

    it('given up, it is free at once, and the one who gave it up writes no more', async () => {
      const lease = await leaseFor(door.store);
      await door.store.endLease(lease);
      await expect(door.store.claimExecuted(lease, 1, now)).rejects.toBeInstanceOf(StaleFence);
      const other = await door.store.leaseRelayer(lease.relayer, 'other', until, now);
      expect(other?.fence).toBeGreaterThan(lease.fence);
      // Too late to end what another holds.
      await door.store.endLease(lease);
      expect(await door.store.leaseRelayer(lease.relayer, 'third', until, now)).toBeNull();
    });

    it('a stale fence writes nothing', async () => {
      const lease = await leaseFor(door.store);
      const { payment } = await submitted(door.store, lease, door.payer, 1n, 4);
      const { id } = await executed(door.store, door.payer, 1n);
      const current = await takenOver(door.store, lease);
      const before = await everything();
      const attempts: Record<string, () => Promise<unknown>> = {
        claimExecuted: () => door.store.claimExecuted(lease, 10, now),
        submit: () => door.store.submit(lease, [id], transactionBy(lease.relayer, 5)),
        requeue: () => door.store.requeue(lease, [payment.id]),
        closeNonce: () => door.store.closeNonce(lease, 4),
        abandonNonce: () => door.store.abandonNonce(lease, 4),
      };
      for (const [name, attempt] of Object.entries(attempts)) {
        await expect(attempt(), name).rejects.toBeInstanceOf(StaleFence);
        expect(await everything(), name).toEqual(before);
      }
      await door.store.requeue(current, [payment.id]);
      await door.store.closeNonce(current, 4);
      await door.store.endLease(current);
    });

    it('nor does a fence that was never given', async () => {
      const lease = await leaseFor(door.store);
      for (const wrong of [
        { ...lease, fence: lease.fence + 1 },
        { ...lease, relayer: randomAddress() },
      ]) {
        await expect(door.store.claimExecuted(wrong, 1, now)).rejects.toBeInstanceOf(StaleFence);
      }
    });

    it('takes what ends first, as much as it asked for, and nothing twice', async () => {
      const [late, early, middle] = await Promise.all([900n, 300n, 600n].map(executedUntil));
      const lease = await leaseFor(door.store);
      const first = await door.store.claimExecuted(lease, 2, now);
      expect(first.map(({ id }) => id)).toEqual([early, middle]);
      expect(first[0]).toEqual(await door.store.find(early ?? 0));
      expect((await door.store.claimExecuted(lease, 2, now)).map(({ id }) => id)).toEqual([late]);
      expect(await door.store.claimExecuted(lease, 2, now)).toEqual([]);
    });

    it('takes only what the token would take by now: validAfter is compared strictly', async () => {
      const validAfter = BigInt(now) + 10n;
      const payment = await reserved(
        door.store,
        claimOf(door.payer, 1n, { authorization: { validAfter } }),
        readingOf(9n),
      );
      await door.store.execute(payment.id, '{}', null);
      const lease = await leaseFor(door.store);
      expect(await door.store.claimExecuted(lease, 9, unixSeconds(now + 10))).toEqual([]);
      expect((await door.store.claimExecuted(lease, 9, unixSeconds(now + 11))).map(({ id }) => id)).toEqual([
        payment.id,
      ]);
    });

    it('passes over what is claimed, until the lease of the claimer ran out; who then writes no more', async () => {
      const { id } = await executed(door.store, door.payer, 1n);
      const [slow, quick] = [await leaseFor(door.store), await leaseFor(door.store)];
      expect(await door.store.claimExecuted(slow, 9, now)).toMatchObject([{ id }]);
      expect(await door.store.claimExecuted(quick, 9, now)).toEqual([]);
      door.clock.advance(61);
      const freed = await door.store.claimExecuted(quick, 9, now).finally(() => door.clock.advance(-61));
      expect(freed).toMatchObject([{ id }]);
      await expect(door.store.submit(slow, [id], transactionBy(slow.relayer))).rejects.toBeInstanceOf(
        StaleFence,
      );
      await door.store.submit(quick, [id], transactionBy(quick.relayer));
    });

    it('taken over, what was claimed is free again, and what was submitted is still its own', async () => {
      const lease = await leaseFor(door.store);
      const { payment, transaction } = await submitted(door.store, lease, door.payer, 1n, 3);
      const { id } = await executed(door.store, door.payer, 1n);
      await door.store.claimExecuted(lease, 9, now);
      const heir = await takenOver(door.store, lease);
      expect(await door.store.claimExecuted(heir, 9, now)).toMatchObject([{ id }]);
      const bumped = transactionBy(lease.relayer, 3);
      await door.store.submit(heir, [payment.id], bumped);
      expect(await door.store.openNonces(lease.relayer)).toMatchObject([
        { relayerNonce: 3, transactions: [bumped, transaction], payments: [{ id: payment.id }] },
      ]);
    });

    it('gives back what it claimed and could not submit', async () => {
      const { id } = await executed(door.store, door.payer, 1n);
      const [lease, other] = [await leaseFor(door.store), await leaseFor(door.store)];
      await door.store.claimExecuted(lease, 9, now);
      await expect(door.store.requeue(other, [id])).rejects.toThrow(String(id));
      await door.store.requeue(lease, [id]);
      expect(await door.store.claimExecuted(other, 9, now)).toMatchObject([{ id, state: 'executed' }]);
    });

    it('submits nothing that another relayer has', async () => {
      const { id } = await executed(door.store, door.payer, 1n);
      const [lease, other] = [await leaseFor(door.store), await leaseFor(door.store)];
      await door.store.claimExecuted(lease, 9, now);
      await expect(door.store.submit(other, [id], transactionBy(other.relayer))).rejects.toThrow(String(id));
      await door.store.submit(lease, [id], transactionBy(lease.relayer));
      await expect(door.store.submit(other, [id], transactionBy(other.relayer))).rejects.toThrow(String(id));
      expect(await door.store.openNonces(other.relayer)).toEqual([]);
      await expect(
        door.store.submit(other, [], transactionBy(lease.relayer, 1)),
        'a transaction of another relayer',
      ).rejects.toThrow('another relayer');
    });

    async function executedUntil(inSeconds: bigint): Promise<number> {
      const validBefore = BigInt(now) + inSeconds;
      const claim = claimOf(door.payer, 1n, { authorization: { validBefore } });
      const { id } = await reserved(door.store, claim, readingOf(100n));
      await door.store.execute(id, '{}', null);
      return id;
    }

    async function everything(): Promise<unknown> {
      return [
        await door.query('SELECT * FROM payment ORDER BY id'),
        await door.query('SELECT * FROM chain_tx ORDER BY id'),
        await door.query('SELECT * FROM lane ORDER BY relayer'),
      ];
    }
  });
}

/** As by another process, after the first gave the lease up without a word. */
async function takenOver(store: Store, { relayer }: { readonly relayer: Address }): Promise<RelayerLease> {
  const heir = await store.leaseRelayer(relayer, 'another process', unixSeconds(after + 600), after);
  if (heir === null) throw new Error('the lease is held');
  return heir;
}
