import { randomBytes } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { refusedBytesMin } from '../../store/bulk.ts';
import type { PaymentRecord } from '../../store/store.ts';
import { retriesMax, undecidedFailure } from '../../types/payment-states.ts';
import { unixSeconds } from '../../types/units.ts';
import {
  availableTo,
  type CreateTestStore,
  completion,
  createClaim,
  createReading,
  executed,
  inclusionAt,
  leaseFor,
  now,
  proofIn,
  randomAddress,
  reserved,
  submitted,
  type TestStore,
} from './claims.ts';
import { pendingThatDoesNotAddUp } from './outcomes-suite.ts';
import { useTestStore } from './use-test-store.ts';

/** Payments that the chain refused and that are still signed (D-63). */
export function describeRefused(createTestStore: CreateTestStore): void {
  const debt = { blockedUntil: unixSeconds(now + 600) };

  describe('A refused payment that the chain took later', () => {
    const database = useTestStore(createTestStore);

    it.each(['fail', 'expire'] as const)(
      'is settled after %s, and counts in the balance once',
      async (end) => {
        const { id } = await executed(database.store, database.payer, 3n);
        if (end === 'fail') await database.store.fail(id, 'insufficient_funds', null);
        else await database.store.expire(id);
        await reserved(database.store, createClaim(database.payer, 10n), null);
        expect(await availableTo(database.store, database.payer)).toBe(90n);
        const inclusion = inclusionAt(101);
        await database.store.settle([id], inclusion);
        const settled = { state: 'settled', completion, txHash: inclusion.txHash, failure: null };
        expect(await database.store.find(id)).toMatchObject(settled);
        expect(await availableTo(database.store, database.payer)).toBe(87n);
        await expectSumsToAddUp(database);
      },
    );

    it('is counted by its own state in one write with others', async () => {
      const other = randomAddress();
      const refused = await executed(database.store, database.payer, 3n);
      const pending = [
        await executed(database.store, database.payer, 4n),
        await executed(database.store, other, 5n),
      ];
      await database.store.fail(refused.id, 'insufficient_funds', debt);
      await database.store.settle(
        [refused, ...pending].map(({ id }) => id),
        inclusionAt(101),
      );
      expect(await availableTo(database.store, other)).toBe(95n);
      expect(await availableTo(database.store, database.payer)).toBe(93n);
      await expectSumsToAddUp(database);
    });

    it('is no longer a debt, and its payer is blocked only for other debts', async () => {
      const [first, second] = [
        await executed(database.store, database.payer, 3n),
        await executed(database.store, database.payer, 4n),
      ];
      const earlier = unixSeconds(now + 60);
      await database.store.fail(first.id, 'insufficient_funds', debt);
      await database.store.fail(second.id, 'insufficient_funds', { blockedUntil: earlier });
      await database.store.settle([first.id], inclusionAt(101));
      const claim = createClaim(database.payer, 1n);
      expect(await database.store.reserve(claim, null, now)).toEqual({ kind: 'blocked', until: earlier });
      await expectSumsToAddUp(database);
      await database.store.settle([second.id], inclusionAt(102));
      await reserved(database.store, claim, createReading(93n, 102));
      await expectSumsToAddUp(database);
    });

    it('is free for any relayer after a reorganisation', async () => {
      const { id } = await executed(database.store, database.payer, 3n);
      await database.store.fail(id, 'insufficient_funds', debt);
      const theirs = inclusionAt(101);
      await database.store.settle([id], theirs);
      expect(await database.store.reopen(theirs.txHash)).toMatchObject([
        { id, state: 'executed', completion },
      ]);
      expect(await availableTo(database.store, database.payer)).toBe(97n);
      await expectSumsToAddUp(database);
    });

    it('keeps its completion until it settles, and afterwards as long as that of a settled payment', async () => {
      const { id } = await executed(database.store, database.payer, 3n);
      await database.store.fail(id, 'insufficient_funds', null);
      await database.store.dropCompletionsBefore(unixSeconds(now + 100_000));
      await database.store.dropCompletion(id);
      expect(await database.store.find(id)).toMatchObject({ state: 'failed', completion });
      database.clock.advance(700);
      const settledAt = database.clock.nowSeconds();
      await database.store.settle([id], inclusionAt(101));
      await database.store.dropCompletionsBefore(settledAt);
      expect(await database.store.find(id)).toMatchObject({ state: 'settled', completion });
      await database.store.dropCompletionsBefore(unixSeconds(settledAt + 1));
      expect(await database.store.find(id)).toMatchObject({ state: 'settled', completion: null });
    });
  });

  describe('A refused payment whose payer got funds', () => {
    const database = useTestStore(createTestStore);

    it('is executed again, pending and without debt, and any relayer may claim it', async () => {
      const lease = await leaseFor(database.store);
      const { payment } = await submitted(database.store, lease, database.payer, 3n);
      await database.store.fail(payment.id, 'insufficient_funds', debt);
      const again = await database.store.retry(payment.id, createReading(3n, 101), now);
      expect(again).toEqual({ ...payment, state: 'executed', completion, txHash: null });
      expect(await database.store.find(payment.id)).toEqual(again);
      expect(await availableTo(database.store, database.payer)).toBe(0n);
      await expectSumsToAddUp(database);
      await database.store.closeNonce(lease, 0);
      expect(await database.store.claimExecuted(await leaseFor(database.store), 9, now)).toEqual([again]);
      await reserved(database.store, createClaim(database.payer, 1n), createReading(4n, 102));
    });

    it('is unchanged while the balance does not cover it and the pending payments', async () => {
      const id = await failedFor(3n);
      await reserved(database.store, createClaim(database.payer, 98n), null);
      const before = await readRows(id);
      expect(await database.store.retry(id, createReading(100n, 101), now)).toBeNull();
      expect(await database.store.retry(id, createReading(200n, 99), now), 'an older reading').toBeNull();
      expect(await readRows(id)).toEqual(before);
      expect(await database.store.retry(id, createReading(101n, 102), now)).toMatchObject({
        state: 'executed',
      });
    });

    it('is retried up to the limit', async () => {
      const id = await failedFor(3n);
      for (let time = 1; time <= retriesMax; time++) {
        expect(await database.store.retry(id, createReading(100n), now), `time ${time}`).not.toBeNull();
        await database.store.fail(id, 'insufficient_funds', debt);
      }
      expect(await database.store.retry(id, createReading(100n), now)).toBeNull();
      expect(await database.store.find(id)).toMatchObject({ state: 'failed', completion });
      await expectSumsToAddUp(database);
    });

    it('is retried only after insufficient funds', async () => {
      const { id } = await executed(database.store, database.payer, 3n);
      await database.store.fail(id, 'authorization_canceled', null);
      expect(await database.store.retry(id, createReading(100n), now)).toBeNull();
    });

    it('is executed once when many retry it at once', async () => {
      const id = await failedFor(3n);
      const other = await database.open();
      const results = await Promise.all(
        Array.from({ length: 20 }, (_, at) =>
          (at % 2 === 0 ? database.store : other).retry(id, createReading(100n), now),
        ),
      );
      expect(results.filter((result) => result !== null)).toHaveLength(1);
      expect(await availableTo(database.store, database.payer)).toBe(97n);
    });

    async function failedFor(value: bigint): Promise<number> {
      const { id } = await executed(database.store, database.payer, value);
      await database.store.fail(id, 'insufficient_funds', null);
      return id;
    }
    async function readRows(id: number): Promise<unknown> {
      return database.query(
        `SELECT p.*, a.pending, a.bad_debt FROM payment p JOIN payer_account a ON a.payer = p.payer WHERE p.id = ${id}`,
      );
    }
  });

  describe('The check of refused payments', () => {
    const database = useTestStore(createTestStore);

    it('returns those with the oldest check first, and skips those that were checked since', async () => {
      const first = await refused();
      database.clock.advance(10);
      const second = await refused();
      database.clock.advance(10);
      const start = unixSeconds(database.clock.nowSeconds() - 10);
      expect(listIds(await database.store.checkRefused(9, start))).toEqual([first.id]);
      expect(await database.store.checkRefused(9, start)).toEqual([]);
      database.clock.advance(10);
      expect(listIds(await database.store.checkRefused(1, database.clock.nowSeconds()))).toEqual([second.id]);
      const later = unixSeconds(database.clock.nowSeconds() + 1);
      const both = await (await database.open()).checkRefused(9, later);
      expect(listIds(both)).toEqual([first.id, second.id]);
      expect(both.find(({ id }) => id === first.id)).toEqual(await database.store.find(first.id));
      await database.store.closeRefused([first.id, second.id]);
    });

    it('ends for closed payments, which keep their state and lose the completion', async () => {
      const { id } = await refused();
      const expired = await executed(database.store, database.payer, 1n);
      await database.store.expire(expired.id);
      await database.store.closeRefused([id, expired.id]);
      expect(await database.store.checkRefused(9, unixSeconds(now + 100_000))).toEqual([]);
      expect(await database.store.find(id)).toMatchObject({ state: 'failed', completion: null });
      expect(await database.store.find(expired.id)).toMatchObject({ state: 'expired', completion: null });
      expect(
        await database.store.retry(id, createReading(100n), now),
        'there is no completion to sell',
      ).toBeNull();
    });

    it('ends for payments that settled or are retried, and closing them later changes nothing', async () => {
      const [settled, again] = [await refused(), await refused()];
      await database.store.settle([settled.id], inclusionAt(101));
      await database.store.retry(again.id, createReading(99n, 101), now);
      expect(await database.store.checkRefused(9, unixSeconds(now + 100_000))).toEqual([]);
      await database.store.closeRefused([settled.id, again.id]);
      expect(await database.store.find(settled.id)).toMatchObject({ state: 'settled', completion });
      expect(await database.store.find(again.id)).toMatchObject({ state: 'executed', completion });
    });

    it('continues without the completion after its time, and a payment that settles then is settled', async () => {
      const payment = await executed(database.store, database.payer, 1n, 100n, proofIn('private'));
      await database.store.fail(payment.id, 'insufficient_funds', null);
      const refusedAt = database.clock.nowSeconds();
      database.clock.advance(5);
      const later = await refused();
      expect(listIds(await database.store.checkRefused(9, database.clock.nowSeconds()))).toContain(
        payment.id,
      );
      expect(await database.store.dropRefusedCompletionsBefore(refusedAt)).toBe(0);
      expect(await database.store.dropRefusedCompletionsBefore(unixSeconds(refusedAt + 1))).toBe(1);
      expect(await database.store.find(payment.id)).toMatchObject({ completion: null, fingerprint: '' });
      expect(await database.store.find(later.id)).toMatchObject({ completion });
      const both = await database.store.checkRefused(9, unixSeconds(database.clock.nowSeconds() + 1));
      expect(listIds(both)).toEqual([payment.id, later.id].toSorted((one, other) => one - other));
      await database.store.settle([payment.id], inclusionAt(101));
      expect(await database.store.find(payment.id)).toMatchObject({ state: 'settled', completion: null });
      expect(await database.store.dropRefusedCompletionsBefore(unixSeconds(now + 100_000))).toBe(1);
      expect(await database.store.find(later.id)).toMatchObject({ completion: null });
      await database.store.closeRefused([later.id]);
    });

    it('frees the bytes of the oldest completions (D-384)', async () => {
      const { store } = database;
      // Frees those of earlier tests.
      await store.dropOldestRefusedCompletions(await store.refusedCompletionBytes());
      const paid = await executed(store, database.payer, 1n);
      await store.settle([paid.id], inclusionAt(101));
      const oldest = await refused();
      const long = await reserved(store, createClaim(database.payer, 1n), createReading(100n));
      await store.execute(long.id, randomBytes(5 * refusedBytesMin).toString('hex'), null);
      await store.fail(long.id, 'insufficient_funds', null);
      const newest = await refused();
      const bytes = await store.refusedCompletionBytes();
      expect(bytes).toBeGreaterThan(6 * refusedBytesMin);
      expect(await store.dropOldestRefusedCompletions(refusedBytesMin)).toBe(refusedBytesMin);
      expect(await store.find(oldest.id)).toMatchObject({ state: 'failed', completion: null });
      expect(await store.dropOldestRefusedCompletions(1)).toBe(bytes - 2 * refusedBytesMin);
      expect(await store.find(long.id)).toMatchObject({ completion: null });
      expect(await store.refusedCompletionBytes()).toBe(refusedBytesMin);
      for (const { id } of [newest, paid]) expect(await store.find(id)).toMatchObject({ completion });
      expect(await store.dropOldestRefusedCompletions(2 * refusedBytesMin)).toBe(refusedBytesMin);
      expect(await store.dropOldestRefusedCompletions(1)).toBe(0);
    });

    it('keeps the completion of a payment that our own transaction may have made unseen (D-234)', async () => {
      const payment = await executed(database.store, database.payer, 1n);
      await database.store.fail(payment.id, undecidedFailure, null);
      expect(await database.store.dropRefusedCompletionsBefore(unixSeconds(now + 100_000))).toBe(0);
      await database.store.settle([payment.id], inclusionAt(101));
      expect(await database.store.find(payment.id)).toMatchObject({ state: 'settled', completion });
    });

    async function refused(): Promise<PaymentRecord> {
      const payment = await executed(database.store, database.payer, 1n);
      await database.store.fail(payment.id, 'insufficient_funds', null);
      return payment;
    }
    function listIds(payments: readonly PaymentRecord[]): readonly number[] {
      return payments.map(({ id }) => id).toSorted((one, other) => one - other);
    }
  });
}

async function expectSumsToAddUp(database: TestStore): Promise<void> {
  expect(await database.query(pendingThatDoesNotAddUp)).toEqual([]);
  expect(await database.query(debtThatDoesNotAddUp)).toEqual([]);
}

/** Finds accounts whose debt differs from that of their payments. The result must be empty. */
const debtThatDoesNotAddUp = `
  SELECT a.payer, a.bad_debt, coalesce(sum(p.amount), 0) AS amounts FROM payer_account a
  LEFT JOIN payment p ON p.asset = a.asset AND p.payer = a.payer AND p.debt_until IS NOT NULL
  GROUP BY a.asset, a.payer, a.bad_debt HAVING a.bad_debt <> coalesce(sum(p.amount), 0)`;
