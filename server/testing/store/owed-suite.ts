import { describe, expect, it } from 'vitest';
import { owedRunsMax } from '../../store/owed.ts';
import { LeaseLost } from '../../store/relayer-lease.ts';
import type { PaymentRecord } from '../../store/store.ts';
import { type UnixSeconds, unixSeconds } from '../../types/units.ts';
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
  owed,
  proofIn,
  proofLedger,
  reserved,
  transactionBy,
} from './claims.ts';
import { useTestStore } from './use-test-store.ts';

/** Payments whose settlement begins while the model writes. */
export function describeOwed(createTestStore: CreateTestStore): void {
  describe('D-272: an owed payment', () => {
    const database = useTestStore(createTestStore);
    const find = (id: number) => database.store.find(id);
    const time = (seconds = 0) => unixSeconds(database.clock.steadySeconds() + seconds);

    /** The steps of the chain, each on an executed payment. */
    const steps = {
      executed: async () => undefined,
      submitted: async (id: number) => {
        const lease = await leaseFor(database.store);
        await database.store.submit(lease, [id], transactionBy(lease.relayer));
      },
      settled: (id: number) => database.store.settle([id], inclusionAt(101)),
      final: async (id: number) => {
        await database.store.settle([id], inclusionAt(101));
        await database.store.finalise(101);
      },
      failed: (id: number) => database.store.fail(id, 'insufficient_funds', null),
      expired: (id: number) => database.store.expire(id),
    } as const;
    const states = Object.keys(steps) as (keyof typeof steps)[];
    const dueStates = ['executed', 'submitted', 'settled', 'final'] as const;

    async function owedIn(state: keyof typeof steps): Promise<PaymentRecord> {
      const payment = await owed(database);
      await steps[state](payment.id);
      return payment;
    }

    /** Ends the lease of the last run and takes the payment. */
    async function takeAgain({ id, leaseUntil }: PaymentRecord): Promise<PaymentRecord> {
      await database.store.endOwedRun(id, leaseUntil);
      const taken = await database.store.takeOwed(id, time(60), time());
      if (taken === null) throw new Error(`payment ${id} was not taken`);
      return taken;
    }

    function complete(payment: PaymentRecord, text = completion): Promise<void> {
      return database.store.completeOwed(payment.id, payment.leaseUntil, text, null);
    }

    it('is executed without a completion, holds its amount, and keeps its lease', async () => {
      const payment = await owed(database);
      expect(await find(payment.id)).toEqual({ ...payment, completion: null, isOwed: true, owedRuns: 0 });
      expect(await availableTo(database.store, database.payer)).toBe(97n);
      const claimed = await database.store.claimExecuted(await leaseFor(database.store), 1_000, now);
      expect(claimed.map(({ id }) => id)).toContain(payment.id);
    });

    it('is never released, also after its lease', async () => {
      const { id, leaseUntil } = await owed(database);
      await expect(database.store.release(id)).rejects.toThrow(`payment ${id}`);
      await database.store.releaseAbandoned(unixSeconds(leaseUntil + 1));
      expect(await find(id)).toMatchObject({ state: 'executed', isOwed: true });
    });

    it('comes from a reservation with a live lease only', async () => {
      const claim = createClaim(database.payer, 3n, { leaseUntil: time() });
      const late = await reserved(database.store, claim, createReading(100n));
      await expect(database.store.owe(late.id)).rejects.toThrow(LeaseLost);
      await database.store.release(late.id);
      const again = await reserved(database.store, { ...claim, leaseUntil: time(60) }, null);
      await expect(database.store.owe(late.id), 'the claim has a new id').rejects.toThrow(LeaseLost);
      expect(await find(again.id)).toMatchObject({ state: 'reserved', isOwed: false });
      const whole = await executed(database.store, database.payer, 3n);
      await expect(database.store.owe(whole.id)).rejects.toThrow(LeaseLost);
      expect(await find(whole.id)).toMatchObject({ completion, isOwed: false });
    });

    it.each(states)(
      'that is %s may be owed again by the caller who did not learn the outcome',
      async (state) => {
        const { id } = await owedIn(state);
        await database.store.owe(id);
        expect(await find(id)).toMatchObject({ state, isOwed: true });
      },
    );

    it('is not owed again by its first run once another run took it', async () => {
      const payment = await owed(database);
      await takeAgain(payment);
      await expect(database.store.owe(payment.id)).rejects.toThrow(LeaseLost);
    });

    it.each(states)(
      'that is %s takes its completion, and its proof is due once it is paid',
      async (state) => {
        const payment = await owedIn(state);
        const proof = proofIn('batch');
        if (proof.record) await database.store.addSigner(proof.record.signer, '{}', proofLedger);
        const { id, leaseUntil } = payment;
        const { updated_at: refusedAt } = await readRow(id);
        database.clock.advance(1);
        await database.store.completeOwed(id, leaseUntil, completion, proof);
        expect(await find(id)).toMatchObject({ state, completion, proof: proof.header, isOwed: false });
        expect((await readRow(id))['updated_at'], 'the time of a refusal').toBe(refusedAt);
        const isPaid = state === 'settled' || state === 'final';
        const isDue = async () => {
          const rows = await database.query(`SELECT due_at FROM proof WHERE payment_id = ${id}`);
          return rows.map((row) => row['due_at'] !== null);
        };
        expect(await isDue()).toEqual([isPaid]);
        if (!isPaid) await database.store.settle([id], inclusionAt(102));
        expect(await isDue()).toEqual([true]);
      },
    );

    it('keeps the first completion, which may be written again', async () => {
      const payment = await owed(database);
      for (const text of [completion, 'x'.repeat(100_000)]) {
        const each = await owed(database);
        const write = () => complete(each, text);
        await write();
        await write();
        await expect(complete(each, 'another')).rejects.toThrow(LeaseLost);
        expect(await find(each.id)).toMatchObject({ completion: text });
      }
      await expect(database.store.completeOwed(4_711, payment.leaseUntil, 'x', null)).rejects.toThrow(
        LeaseLost,
      );
    });

    it('takes no completion by `execute`, nor by a run with another lease', async () => {
      const payment = await owed(database);
      await expect(database.store.execute(payment.id, completion, null)).rejects.toThrow(LeaseLost);
      const other = { ...payment, leaseUntil: unixSeconds(payment.leaseUntil + 1) };
      await expect(complete(other)).rejects.toThrow(LeaseLost);
      expect(await find(payment.id)).toMatchObject({ completion: null, isOwed: true });
    });

    it.each(dueStates)(
      'that is %s is taken once, after its lease, and the run before writes no more',
      async (state) => {
        const payment = await owedIn(state);
        const { id, leaseUntil } = payment;
        const take = (at: UnixSeconds) => database.store.takeOwed(id, unixSeconds(at + 60), at);
        expect(await take(unixSeconds(leaseUntil - 1))).toBeNull();
        database.clock.advance(60);
        const takes = await Promise.all([time(), time(), time()].map(take));
        const [taken, ...others] = takes.filter((each) => each !== null);
        expect(others).toEqual([]);
        expect(taken).toMatchObject({ id, state, isOwed: true, owedRuns: 1 });
        expect(taken?.leaseUntil).toBeGreaterThan(leaseUntil);
        await expect(complete(payment)).rejects.toThrow(LeaseLost);
        await complete(taken as PaymentRecord);
        expect(await find(id)).toMatchObject({ state, completion, isOwed: false });
        expect(await take(unixSeconds(time(1_000)))).toBeNull();
      },
    );

    it.each(['failed', 'expired'] as const)(
      'that is %s is not run again until it is paid after all',
      async (state) => {
        const { id, leaseUntil } = await owedIn(state);
        await database.store.endOwedRun(id, leaseUntil);
        expect(await database.store.takeOwed(id, time(60), time())).toBeNull();
        await database.store.settle([id], inclusionAt(101));
        expect(await database.store.takeOwed(id, time(60), time())).toMatchObject({ id, state: 'settled' });
      },
    );

    it('is free at once when its run ends, and only for the lease of that run', async () => {
      const payment = await owed(database);
      const { id, leaseUntil } = payment;
      await database.store.endOwedRun(id, unixSeconds(leaseUntil - 1));
      expect(await find(id)).toMatchObject({ leaseUntil });
      const second = await takeAgain(payment);
      const third = await takeAgain(second);
      const leases = [leaseUntil, second.leaseUntil, third.leaseUntil];
      expect(new Set(leases).size, 'no two runs of one second have the same lease').toBe(3);
      await database.store.endOwedRun(id, second.leaseUntil);
      expect(await find(id)).toMatchObject({ leaseUntil: third.leaseUntil, owedRuns: 2 });
      await expect(complete(second)).rejects.toThrow(LeaseLost);
      await complete(third);
      await database.store.endOwedRun(id, third.leaseUntil);
      expect(await find(id)).toMatchObject({ completion, leaseUntil: third.leaseUntil });
    });

    it('is run again after the rest that its last run asked for', async () => {
      const { id, leaseUntil } = await owed(database);
      await database.store.endOwedRun(id, leaseUntil, 5);
      expect(await database.store.takeOwed(id, time(60), time(4))).toBeNull();
      expect(await database.store.takeOwed(id, time(60), time(5))).toMatchObject({ id, owedRuns: 1 });
    });

    it('is run again a few times only', async () => {
      let payment = await owed(database);
      for (let run = 1; run <= owedRunsMax; run++) payment = await takeAgain(payment);
      expect(payment.owedRuns).toBe(owedRunsMax);
      await database.store.endOwedRun(payment.id, payment.leaseUntil);
      expect(await database.store.takeOwed(payment.id, time(60), time())).toBeNull();
      expect(await find(payment.id)).toMatchObject({ isOwed: true, owedRuns: owedRunsMax });
    });

    it('is retried after a refusal only with its completion', async () => {
      const payment = await owedIn('failed');
      const retry = () => database.store.retry(payment.id, createReading(100n), now);
      expect(await retry()).toBeNull();
      await complete(payment);
      expect(await retry()).toMatchObject({ state: 'executed', completion, isOwed: false });
    });

    it('that is reopened is owed still', async () => {
      const payment = await owed(database);
      const inclusion = inclusionAt(101);
      await database.store.settle([payment.id], inclusion);
      const [reopened] = await database.store.reopen(inclusion.txHash);
      expect(reopened).toMatchObject({ id: payment.id, state: 'executed', isOwed: true });
      await complete(payment);
      expect(await find(payment.id)).toMatchObject({ state: 'executed', completion });
    });

    async function readRow(id: number) {
      const [row] = await database.query(`SELECT updated_at FROM payment WHERE id = ${id}`);
      return row ?? {};
    }
  });
}
