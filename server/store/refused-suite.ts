import { describe, expect, it } from 'vitest';
import { retriesMax } from '../payment/life.ts';
import { unixSeconds } from '../vocabulary/units.ts';
import { pendingThatDoesNotAddUp } from './outcomes-suite.ts';
import type { PaymentRecord } from './store.ts';
import {
  answer,
  availableTo,
  type CreateTestStore,
  claimOf,
  executed,
  inclusionAt,
  leaseFor,
  now,
  proofIn,
  randomAddress,
  readingOf,
  reserved,
  submitted,
  type TestStore,
} from './test-claims.ts';
import { useTestStore } from './use-test-store.ts';

/** Refused by the chain, and signed all the same: what may still become of a payment (D-63). */
export function describeRefused(createTestStore: CreateTestStore): void {
  const debt = { blockedUntil: unixSeconds(now + 600) };

  describe('A refused payment that the chain took after all', () => {
    const door = useTestStore(createTestStore);

    it.each(['fail', 'expire'] as const)(
      'after %s is settled, and counts in the balance once',
      async (end) => {
        const { id } = await executed(door.store, door.payer, 3n);
        if (end === 'fail') await door.store.fail(id, 'insufficient_funds', null);
        else await door.store.expire(id);
        await reserved(door.store, claimOf(door.payer, 10n), null);
        expect(await availableTo(door.store, door.payer)).toBe(90n);
        const inclusion = inclusionAt(101);
        await door.store.settle([id], inclusion);
        const settled = { state: 'settled', answer, txHash: inclusion.txHash, failure: null };
        expect(await door.store.find(id)).toMatchObject(settled);
        expect(await availableTo(door.store, door.payer)).toBe(87n);
        await expectSumsToAddUp(door);
      },
    );

    it('beside others in one write is counted as what it was', async () => {
      const other = randomAddress();
      const refused = await executed(door.store, door.payer, 3n);
      const pending = [await executed(door.store, door.payer, 4n), await executed(door.store, other, 5n)];
      await door.store.fail(refused.id, 'insufficient_funds', debt);
      await door.store.settle(
        [refused, ...pending].map(({ id }) => id),
        inclusionAt(101),
      );
      expect(await availableTo(door.store, other)).toBe(95n);
      expect(await availableTo(door.store, door.payer)).toBe(93n);
      await expectSumsToAddUp(door);
    });

    it('is owed no more: its payer is held back only for what else is owed', async () => {
      const [first, second] = [
        await executed(door.store, door.payer, 3n),
        await executed(door.store, door.payer, 4n),
      ];
      const earlier = unixSeconds(now + 60);
      await door.store.fail(first.id, 'insufficient_funds', debt);
      await door.store.fail(second.id, 'insufficient_funds', { blockedUntil: earlier });
      await door.store.settle([first.id], inclusionAt(101));
      const claim = claimOf(door.payer, 1n);
      expect(await door.store.reserve(claim, null, now)).toEqual({ kind: 'blocked', until: earlier });
      await expectSumsToAddUp(door);
      await door.store.settle([second.id], inclusionAt(102));
      await reserved(door.store, claim, readingOf(93n, 102));
      await expectSumsToAddUp(door);
    });

    it('and then a reorganisation took back is free for any relayer', async () => {
      const { id } = await executed(door.store, door.payer, 3n);
      await door.store.fail(id, 'insufficient_funds', debt);
      const theirs = inclusionAt(101);
      await door.store.settle([id], theirs);
      expect(await door.store.reopen(theirs.txHash)).toMatchObject([{ id, state: 'executed', answer }]);
      expect(await availableTo(door.store, door.payer)).toBe(97n);
      await expectSumsToAddUp(door);
    });

    it('keeps its answer until then, whatever is dropped, and afterwards as long as any other', async () => {
      const { id } = await executed(door.store, door.payer, 3n);
      await door.store.fail(id, 'insufficient_funds', null);
      await door.store.dropAnswersBefore(unixSeconds(now + 100_000));
      await door.store.dropAnswer(id);
      expect(await door.store.find(id)).toMatchObject({ state: 'failed', answer });
      door.clock.advance(700);
      const settledAt = door.clock.nowSeconds();
      await door.store.settle([id], inclusionAt(101));
      await door.store.dropAnswersBefore(settledAt);
      expect(await door.store.find(id)).toMatchObject({ state: 'settled', answer });
      await door.store.dropAnswersBefore(unixSeconds(settledAt + 1));
      expect(await door.store.find(id)).toMatchObject({ state: 'settled', answer: null });
    });
  });

  describe('A refused payment whose payer filled the wallet', () => {
    const door = useTestStore(createTestStore);

    it('is executed once more, pending and not owed, and any relayer may carry it', async () => {
      const lease = await leaseFor(door.store);
      const { payment } = await submitted(door.store, lease, door.payer, 3n);
      await door.store.fail(payment.id, 'insufficient_funds', debt);
      const again = await door.store.retry(payment.id, readingOf(3n, 101), now);
      expect(again).toEqual({ ...payment, state: 'executed', answer, txHash: null });
      expect(await door.store.find(payment.id)).toEqual(again);
      expect(await availableTo(door.store, door.payer)).toBe(0n);
      await expectSumsToAddUp(door);
      await door.store.closeNonce(lease, 0);
      expect(await door.store.claimExecuted(await leaseFor(door.store), 9, now)).toEqual([again]);
      await reserved(door.store, claimOf(door.payer, 1n), readingOf(4n, 102));
    });

    it('is left as it is while the balance does not cover it beside what is pending', async () => {
      const id = await failedFor(3n);
      await reserved(door.store, claimOf(door.payer, 98n), null);
      const before = await rowsOf(id);
      expect(await door.store.retry(id, readingOf(100n, 101), now)).toBeNull();
      expect(await door.store.retry(id, readingOf(200n, 99), now), 'an older reading').toBeNull();
      expect(await rowsOf(id)).toEqual(before);
      expect(await door.store.retry(id, readingOf(101n, 102), now)).toMatchObject({ state: 'executed' });
    });

    it('is tried again so many times and no more', async () => {
      const id = await failedFor(3n);
      for (let time = 1; time <= retriesMax; time++) {
        expect(await door.store.retry(id, readingOf(100n), now), `time ${time}`).not.toBeNull();
        await door.store.fail(id, 'insufficient_funds', debt);
      }
      expect(await door.store.retry(id, readingOf(100n), now)).toBeNull();
      expect(await door.store.find(id)).toMatchObject({ state: 'failed', answer });
      await expectSumsToAddUp(door);
    });

    it('is tried again only where the wallet was what was wrong', async () => {
      const { id } = await executed(door.store, door.payer, 3n);
      await door.store.fail(id, 'authorization_canceled', null);
      expect(await door.store.retry(id, readingOf(100n), now)).toBeNull();
    });

    it('asked for by many at once is executed once', async () => {
      const id = await failedFor(3n);
      const other = await door.open();
      const results = await Promise.all(
        Array.from({ length: 20 }, (_, at) =>
          (at % 2 === 0 ? door.store : other).retry(id, readingOf(100n), now),
        ),
      );
      expect(results.filter((result) => result !== null)).toHaveLength(1);
      expect(await availableTo(door.store, door.payer)).toBe(97n);
    });

    async function failedFor(value: bigint): Promise<number> {
      const { id } = await executed(door.store, door.payer, value);
      await door.store.fail(id, 'insufficient_funds', null);
      return id;
    }
    async function rowsOf(id: number): Promise<unknown> {
      return door.query(
        `SELECT p.*, a.pending, a.bad_debt FROM payment p JOIN payer_account a ON a.payer = p.payer WHERE p.id = ${id}`,
      );
    }
  });

  describe('Looking after refused payments', () => {
    const door = useTestStore(createTestStore);

    it('takes first what nobody looked at for longest, and passes over what was looked at since', async () => {
      const first = await refused();
      door.clock.advance(10);
      const second = await refused();
      door.clock.advance(10);
      const start = unixSeconds(door.clock.nowSeconds() - 10);
      expect(idsOf(await door.store.checkRefused(9, start))).toEqual([first.id]);
      expect(await door.store.checkRefused(9, start)).toEqual([]);
      door.clock.advance(10);
      expect(idsOf(await door.store.checkRefused(1, door.clock.nowSeconds()))).toEqual([second.id]);
      const later = unixSeconds(door.clock.nowSeconds() + 1);
      const both = await (await door.open()).checkRefused(9, later);
      expect(idsOf(both)).toEqual([first.id, second.id]);
      expect(both.find(({ id }) => id === first.id)).toEqual(await door.store.find(first.id));
      await door.store.closeRefused([first.id, second.id]);
    });

    it('ends when nothing more can come of them: they stay as they were, without the answer', async () => {
      const { id } = await refused();
      const expired = await executed(door.store, door.payer, 1n);
      await door.store.expire(expired.id);
      await door.store.closeRefused([id, expired.id]);
      expect(await door.store.checkRefused(9, unixSeconds(now + 100_000))).toEqual([]);
      expect(await door.store.find(id)).toMatchObject({ state: 'failed', answer: null });
      expect(await door.store.find(expired.id)).toMatchObject({ state: 'expired', answer: null });
      expect(await door.store.retry(id, readingOf(100n), now), 'there is nothing to sell').toBeNull();
    });

    it('ends by itself with those that settled or are tried again, and closing them then takes nothing', async () => {
      const [settled, again] = [await refused(), await refused()];
      await door.store.settle([settled.id], inclusionAt(101));
      await door.store.retry(again.id, readingOf(99n, 101), now);
      expect(await door.store.checkRefused(9, unixSeconds(now + 100_000))).toEqual([]);
      await door.store.closeRefused([settled.id, again.id]);
      expect(await door.store.find(settled.id)).toMatchObject({ state: 'settled', answer });
      expect(await door.store.find(again.id)).toMatchObject({ state: 'executed', answer });
    });

    it('goes on without the answer when it took too long, and one that settles then is settled', async () => {
      const payment = await executed(door.store, door.payer, 1n, 100n, proofIn('private'));
      await door.store.fail(payment.id, 'insufficient_funds', null);
      const refusedAt = door.clock.nowSeconds();
      door.clock.advance(5);
      const later = await refused();
      expect(idsOf(await door.store.checkRefused(9, door.clock.nowSeconds()))).toContain(payment.id);
      expect(await door.store.dropRefusedAnswersBefore(refusedAt)).toBe(0);
      expect(await door.store.dropRefusedAnswersBefore(unixSeconds(refusedAt + 1))).toBe(1);
      expect(await door.store.find(payment.id)).toMatchObject({ answer: null, fingerprint: '' });
      expect(await door.store.find(later.id)).toMatchObject({ answer });
      const both = await door.store.checkRefused(9, unixSeconds(door.clock.nowSeconds() + 1));
      expect(idsOf(both)).toEqual([payment.id, later.id].toSorted((one, other) => one - other));
      await door.store.settle([payment.id], inclusionAt(101));
      expect(await door.store.find(payment.id)).toMatchObject({ state: 'settled', answer: null });
      expect(await door.store.dropRefusedAnswersBefore(unixSeconds(now + 100_000))).toBe(1);
      expect(await door.store.find(later.id)).toMatchObject({ answer: null });
      await door.store.closeRefused([later.id]);
    });

    async function refused(): Promise<PaymentRecord> {
      const payment = await executed(door.store, door.payer, 1n);
      await door.store.fail(payment.id, 'insufficient_funds', null);
      return payment;
    }
    function idsOf(payments: readonly PaymentRecord[]): readonly number[] {
      return payments.map(({ id }) => id).toSorted((one, other) => one - other);
    }
  });
}

async function expectSumsToAddUp(door: TestStore): Promise<void> {
  expect(await door.query(pendingThatDoesNotAddUp)).toEqual([]);
  expect(await door.query(debtThatDoesNotAddUp)).toEqual([]);
}

/** Accounts whose debt is not that of their payments: none, ever. */
const debtThatDoesNotAddUp = `
  SELECT a.payer, a.bad_debt, coalesce(sum(p.amount), 0) AS amounts FROM payer_account a
  LEFT JOIN payment p ON p.asset = a.asset AND p.payer = a.payer AND p.owed_until IS NOT NULL
  GROUP BY a.asset, a.payer, a.bad_debt HAVING a.bad_debt <> coalesce(sum(p.amount), 0)`;
