import { describe, expect, it } from 'vitest';
import type { PaymentRecord, PaymentState } from './store.ts';
import {
  availableTo,
  type CreateLedger,
  claimOf,
  now,
  randomAddress,
  randomBytes32,
  readingOf,
  reserved,
  transactionBy,
  useLedger,
} from './test-claims.ts';

/** Every state against every operation: what is allowed happens, and what is not changes nothing. */
export function describeTransitions(createLedger: CreateLedger): void {
  describe('Where a payment stands', () => {
    const door = useLedger(createLedger);
    const relayer = randomAddress();

    const operations = {
      execute: (id: number) => door.store.execute(id, '{"answer":1}'),
      submit: (id: number) => door.store.submit(id, transactionBy(relayer)),
      settle: (id: number) => door.store.settle(id, randomBytes32(), 101),
      release: (id: number) => door.store.release(id),
      fail: (id: number) => door.store.fail(id, 'insufficient_funds'),
    };
    type Operation = keyof typeof operations;
    const waysTo: Record<PaymentState, readonly Operation[]> = {
      reserved: [],
      executed: ['execute'],
      submitted: ['execute', 'submit'],
      settled: ['execute', 'submit', 'settle'],
      released: ['release'],
      failed: ['execute', 'fail'],
    };
    const allowed: Record<PaymentState, Partial<Record<Operation, PaymentState>>> = {
      reserved: { execute: 'executed', release: 'released' },
      executed: { submit: 'submitted', settle: 'settled', fail: 'failed' },
      submitted: { submit: 'submitted', settle: 'settled', fail: 'failed' },
      settled: {},
      released: {},
      failed: {},
    };
    const table = (Object.keys(waysTo) as PaymentState[]).flatMap((state) =>
      (Object.keys(operations) as Operation[]).map((operation) => [state, operation] as const),
    );

    async function paymentIn(state: PaymentState): Promise<PaymentRecord> {
      const { id } = await reserved(door.store, claimOf(door.payer, 3n), readingOf(100n));
      for (const step of waysTo[state]) await operations[step](id);
      const payment = await door.store.find(id);
      if (payment?.state !== state) throw new Error(`not ${state} but ${payment?.state}`);
      return payment;
    }

    it.each(table)('%s, then %s', async (state, operation) => {
      const before = await paymentIn(state);
      const availableBefore = await availableTo(door.store, door.payer);
      const next = allowed[state][operation];
      if (next === undefined) {
        await expect(operations[operation](before.id)).rejects.toThrow(String(before.id));
        expect(await door.store.find(before.id)).toEqual(before);
        expect(await availableTo(door.store, door.payer)).toBe(availableBefore);
        expect(await door.store.transactionsOf(before.id)).toHaveLength(
          waysTo[state].includes('submit') ? 1 : 0,
        );
      } else {
        await operations[operation](before.id);
        expect(await door.store.find(before.id)).toMatchObject({ id: before.id, state: next });
      }
    });

    it.each(Object.keys(operations) as Operation[])('%s of no payment is refused', async (operation) => {
      await expect(operations[operation](4_711)).rejects.toThrow();
    });

    it('the answer is kept from execution on, and withheld when the chain refused (D-23)', async () => {
      const { id } = await paymentIn('submitted');
      expect(await door.store.find(id)).toMatchObject({ answer: '{"answer":1}' });
      await door.store.fail(id, 'authorization_used');
      expect(await door.store.find(id)).toMatchObject({ answer: null, failure: 'authorization_used' });
    });

    it('the transaction of a settled payment is the one that settled it, whoever sent it', async () => {
      const { id } = await paymentIn('submitted');
      const hash = randomBytes32();
      await door.store.settle(id, hash, 101);
      expect(await door.store.find(id)).toMatchObject({ txHash: hash, answer: '{"answer":1}' });
    });

    it('released, it may be reserved again, for another request too (D-22)', async () => {
      const released = await paymentIn('released');
      const claim = {
        ...claimOf(door.payer, 3n),
        authorization: released.authorization,
        fingerprint: 'other',
      };
      const again = await reserved(door.store, claim, readingOf(100n));
      expect(again).toMatchObject({ state: 'reserved', answer: null, signature: claim.signature });
      expect(await availableTo(door.store, door.payer)).toBe(97n);
      expect(await door.store.reserve(claim, null, now)).toMatchObject({ kind: 'known', sameRequest: true });
      await door.store.execute(again.id, '{}');
    });

    it('what is unfinished is found again, the oldest first', async () => {
      const ids: Partial<Record<PaymentState, number>> = {};
      for (const state of Object.keys(waysTo) as PaymentState[]) ids[state] = (await paymentIn(state)).id;
      const unfinished = (await door.store.unfinished()).filter(
        ({ authorization }) => authorization.from === door.payer,
      );
      expect(unfinished.map(({ id }) => id)).toEqual([ids.reserved, ids.executed, ids.submitted]);
    });
  });
}
