import { describe, expect, it } from 'vitest';
import { unixSeconds } from '../../types/units.ts';
import {
  type CreateTestStore,
  createClaim,
  createReading,
  executed,
  inclusionAt,
  leaseFor,
  now,
  randomAddress,
  reserved,
  submitted,
} from './claims.ts';
import { useTestStore } from './use-test-store.ts';

const none = { payments: 0, amount: 0n };

/** The sums for metrics. */
export function describeTotals(createTestStore: CreateTestStore): void {
  describe('D-302: the open totals', () => {
    const database = useTestStore(createTestStore);

    it('are zero in an empty store', async () => {
      expect(await database.store.openTotals()).toEqual({
        reserved: none,
        executed: none,
        submitted: none,
        unsettledSince: null,
        debts: none,
      });
    });

    it('count each open payment in its state, and no decided one', async () => {
      const { store } = database;
      const settled = await executed(store, randomAddress(), 64n);
      await store.settle([settled.id], inclusionAt(101));
      const released = await reserved(store, createClaim(randomAddress(), 32n), createReading(100n));
      await store.release(released.id);
      await reserved(store, createClaim(randomAddress(), 1n), createReading(100n));
      await reserved(store, createClaim(randomAddress(), 2n), createReading(100n));
      await executed(store, randomAddress(), 4n);
      await submitted(store, await leaseFor(store), randomAddress(), 8n);
      expect(await store.openTotals()).toMatchObject({
        reserved: { payments: 2, amount: 3n },
        executed: { payments: 1, amount: 4n },
        submitted: { payments: 1, amount: 8n },
        debts: none,
      });
    });

    it('have a debt until it is paid, and no refusal without a debt', async () => {
      const { store } = database;
      const debtor = await executed(store, randomAddress(), 16n);
      await store.fail(debtor.id, 'insufficient_funds', { blockedUntil: unixSeconds(now + 60) });
      const other = await executed(store, randomAddress(), 1n);
      await store.fail(other.id, 'third_party_sender', null);
      expect((await store.openTotals()).debts).toEqual({ payments: 1, amount: 16n });
      await store.settle([debtor.id], inclusionAt(102));
      expect((await store.openTotals()).debts).toEqual(none);
    });
  });

  describe('D-302: the oldest unsettled payment', () => {
    const database = useTestStore(createTestStore);

    it('counts from its reservation, also after it was claimed and submitted again', async () => {
      const { store, clock } = database;
      const since = clock.steadySeconds();
      const leaseUntil = unixSeconds(since + 600);
      const old = await reserved(
        store,
        createClaim(randomAddress(), 1n, { leaseUntil }),
        createReading(100n),
      );
      expect((await store.openTotals()).unsettledSince).toBeNull();
      clock.advance(30);
      await store.execute(old.id, '{}', null);
      expect((await store.openTotals()).unsettledSince).toBe(since);
      clock.advance(1);
      const lease = await store.leaseRelayer(
        randomAddress(),
        'this process',
        unixSeconds(clock.steadySeconds() + 60),
        clock.steadySeconds(),
      );
      if (lease === null) throw new Error('another process holds the lease');
      await store.claimExecuted(lease, 10, clock.steadySeconds());
      await store.requeue(lease, [old.id]);
      expect((await store.openTotals()).unsettledSince).toBe(since);
      await store.settle([old.id], inclusionAt(103));
      expect((await store.openTotals()).unsettledSince).toBeNull();
    });
  });

  describe('D-386: the settlement queue', () => {
    const database = useTestStore(createTestStore);

    it('has the executed payments without a transaction, by payer, and when the oldest began to wait', async () => {
      const { store, clock } = database;
      const [payer, other] = [randomAddress(), randomAddress()];
      await submitted(store, await leaseFor(store), payer, 1n);
      await reserved(store, createClaim(other, 1n), createReading(100n));
      const since = clock.steadySeconds();
      const handedOver = await executed(store, payer, 1n);
      await executed(store, payer, 1n);
      await store.recordHandover(handedOver.id, []);
      clock.advance(7);
      await executed(store, payer, 1n);
      await executed(store, other, 1n);
      const unsent = new Map([
        [payer, 2],
        [other, 1],
      ]);
      expect(await store.settlementQueue(since)).toEqual({ unsent, unsentSince: since, settled: 0 });
      const byPayer = new Map([
        [payer, 4],
        [other, 1],
      ]);
      expect(await store.unsettled()).toEqual({ executed: 4, byPayer });
    });

    it('counts the payments that were settled since a time', async () => {
      const { store, clock } = database;
      const before = await store.settlementQueue(unixSeconds(clock.steadySeconds() + 1));
      const settle = async () => {
        const { id } = await executed(store, randomAddress(), 1n);
        await store.settle([id], inclusionAt(104));
      };
      await settle();
      clock.advance(10);
      await settle();
      const count = async (ago: number) =>
        (await store.settlementQueue(unixSeconds(clock.steadySeconds() - ago))).settled;
      expect(before.settled).toBe(0);
      expect([await count(9), await count(10)]).toEqual([1, 2]);
    });
  });
}
