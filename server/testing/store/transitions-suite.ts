import { beforeAll, describe, expect, it } from 'vitest';
import type { RelayerLease } from '../../store/relayer-lease.ts';
import type { PaymentRecord } from '../../store/store.ts';
import { type PaymentState, transitions } from '../../types/payment-states.ts';
import {
  availableTo,
  type CreateTestStore,
  completion,
  createClaim,
  createReading,
  inclusionAt,
  leaseFor,
  now,
  randomBytes32,
  reserved,
  transactionBy,
} from './claims.ts';
import { useTestStore } from './use-test-store.ts';

type Operation =
  | 'execute'
  | 'release'
  | 'submit'
  | 'requeue'
  | 'settle'
  | 'fail'
  | 'expire'
  | 'retry'
  | 'finalise'
  | 'reopen';

/** The operations that bring a payment to a state. */
const waysTo: Record<PaymentState, readonly Operation[]> = {
  reserved: [],
  executed: ['execute'],
  submitted: ['execute', 'submit'],
  settled: ['execute', 'submit', 'settle'],
  final: ['execute', 'submit', 'settle', 'finalise'],
  released: ['release'],
  failed: ['execute', 'fail'],
  expired: ['execute', 'expire'],
};

const allowed: Record<PaymentState, Partial<Record<Operation, PaymentState>>> = {
  reserved: { execute: 'executed', release: 'released' },
  executed: {
    execute: 'executed',
    submit: 'submitted',
    settle: 'settled',
    fail: 'failed',
    expire: 'expired',
  },
  submitted: {
    execute: 'submitted',
    submit: 'submitted',
    requeue: 'executed',
    settle: 'settled',
    fail: 'failed',
    expire: 'expired',
  },
  settled: {
    execute: 'settled',
    fail: 'failed',
    expire: 'expired',
    finalise: 'final',
    reopen: 'submitted',
  },
  final: { execute: 'final' },
  released: { release: 'released' },
  failed: { execute: 'failed', retry: 'executed', settle: 'settled' },
  expired: { execute: 'expired', settle: 'settled' },
};

const states = Object.keys(waysTo) as PaymentState[];
/** When these find no payment, they change nothing and do not throw. */
const finding: readonly Operation[] = ['retry', 'finalise', 'reopen'];

/** Tests every operation in every state: an allowed one changes the state, and any other changes nothing. */
export function describeTransitions(createTestStore: CreateTestStore): void {
  describe('The payment state', () => {
    const database = useTestStore(createTestStore);
    let lease: RelayerLease;
    beforeAll(async () => {
      lease = await leaseFor(database.store);
    });

    const operations: Record<Operation, (id: number) => Promise<unknown>> = {
      execute: (id) => database.store.execute(id, completion, null),
      release: (id) => database.store.release(id),
      submit: (id) => database.store.submit(lease, [id], transactionBy(lease.relayer, id)),
      requeue: (id) => database.store.requeue(lease, [id]),
      settle: async (id) => {
        const { txHash } = (await database.store.find(id)) ?? {};
        await database.store.settle([id], inclusionAt(pickBlock(id), txHash ?? randomBytes32()));
      },
      fail: (id) => database.store.fail(id, 'insufficient_funds', null),
      expire: (id) => database.store.expire(id),
      retry: (id) => database.store.retry(id, createReading(100n), now),
      finalise: (id) => database.store.finalise(pickBlock(id)),
      reopen: async (id) => database.store.reopen((await database.store.find(id))?.txHash ?? randomBytes32()),
    };
    const names = Object.keys(operations) as Operation[];
    const table = states.flatMap((state) => names.map((name) => [state, name] as const));

    async function paymentIn(state: PaymentState): Promise<PaymentRecord> {
      const { id } = await reserved(database.store, createClaim(database.payer, 3n), createReading(100n));
      for (const step of waysTo[state]) await operations[step](id);
      const payment = await database.store.find(id);
      if (payment?.state !== state) throw new Error(`not ${state} but ${payment?.state}`);
      return payment;
    }

    it('changes by the operations exactly as the transitions allow', () => {
      const ways = states.flatMap((from) => Object.values(allowed[from]).map((to) => `${from} → ${to}`));
      // A repeated operation keeps the state. A claim reserves a released payment again, and a store with a new
      // key releases executed payments (D-236).
      const others = ['released → reserved', 'executed → released'];
      const drawn = new Set([...ways.filter((way) => !/^(\w+) → \1$/.test(way)), ...others]);
      expect(drawn).toEqual(
        new Set(Object.entries(transitions).flatMap(([from, to]) => to.map((each) => `${from} → ${each}`))),
      );
    });

    it.each(table)('%s, then %s', async (state, name) => {
      const before = await paymentIn(state);
      const availableBefore = await availableTo(database.store, database.payer);
      const rowsBefore = await readRows(before.id);
      const next = allowed[state][name];
      if (next !== undefined) {
        await operations[name](before.id);
        expect(await database.store.find(before.id)).toMatchObject({ id: before.id, state: next });
        return;
      }
      if (finding.includes(name)) await operations[name](before.id);
      else await expect(operations[name](before.id)).rejects.toThrow(`payment ${before.id}`);
      expect(await readRows(before.id)).toEqual(rowsBefore);
      expect(await availableTo(database.store, database.payer)).toBe(availableBefore);
    });

    it.each(names.filter((name) => !finding.includes(name)))(
      '%s rejects an unknown payment',
      async (name) => {
        await expect(operations[name](4_711)).rejects.toThrow('payment 4711');
      },
    );

    it.each([
      ['submit', 'executed', 'reserved'],
      ['settle', 'submitted', 'released'],
      ['requeue', 'submitted', 'settled'],
    ] as const)(
      '%s of several payments changes all of them or none',
      async (name, rightState, wrongState) => {
        const [right, wrong] = [await paymentIn(rightState), await paymentIn(wrongState)];
        const rowsBefore = await readRows(right.id);
        const ids = [right.id, wrong.id];
        const attempts = {
          submit: () => database.store.submit(lease, ids, transactionBy(lease.relayer, 1)),
          settle: () => database.store.settle(ids, inclusionAt(101)),
          requeue: () => database.store.requeue(lease, ids),
        };
        await expect(attempts[name]()).rejects.toThrow(String(wrong.id));
        expect(await readRows(right.id)).toEqual(rowsBefore);
        expect(await database.store.find(wrong.id)).toEqual(wrong);
      },
    );

    it('keeps the completion from execution on, also after a refusal of the chain (D-63)', async () => {
      const [failed, expired] = [await paymentIn('submitted'), await paymentIn('submitted')];
      expect(await database.store.find(failed.id)).toMatchObject({ completion });
      await database.store.fail(failed.id, 'authorization_used', null);
      expect(await database.store.find(failed.id)).toMatchObject({
        completion,
        failure: 'authorization_used',
      });
      await database.store.expire(expired.id);
      expect(await database.store.find(expired.id)).toMatchObject({ completion, failure: null });
    });

    it('has the transaction that settled the payment, from any sender', async () => {
      const { id } = await paymentIn('submitted');
      const inclusion = inclusionAt(101);
      await database.store.settle([id], inclusion);
      expect(await database.store.find(id)).toMatchObject({ txHash: inclusion.txHash, completion });
    });

    it('is counted by the store', async () => {
      const before = await database.store.totals();
      await paymentIn('expired');
      const after = await database.store.totals();
      expect(after.get('expired')).toEqual({
        payments: (before.get('expired')?.payments ?? 0) + 1,
        amount: (before.get('expired')?.amount ?? 0n) + 3n,
      });
      const states = await database.query('SELECT state, count(*) AS payments FROM payment GROUP BY state');
      expect(states.map(({ state, payments }) => [state, Number(payments)]).toSorted()).toEqual(
        [...after].map(([state, { payments }]) => [state, payments]).toSorted(),
      );
    });

    async function readRows(id: number): Promise<unknown> {
      return {
        payment: await database.query(`SELECT * FROM payment WHERE id = ${id}`),
        account: await database.query(`SELECT * FROM payer_account WHERE payer = '${database.payer}'`),
        journal: await database.query('SELECT count(*) AS transactions FROM chain_tx'),
      };
    }
  });
}

/** A block for each payment, so that a test finalises no payment of another test. */
function pickBlock(id: number): number {
  return 1_000 + id;
}
