import type { PaymentRequirements } from '@paid-inference/contract/types';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createLog } from '../observe/log.ts';
import type { Settlement } from '../settlement/settler.ts';
import { openSqliteStore } from '../store/sqlite/sqlite-store.ts';
import type { OpenStore, PaymentRecord } from '../store/store.ts';
import { createCountingEngine } from '../testing/counting-engine.ts';
import { text } from '../testing/inference/exchange.ts';
import {
  asset,
  completion,
  createClaim,
  createReading,
  inclusionAt,
  now,
  randomAddress,
} from '../testing/store/claims.ts';
import { createTestSlots } from '../testing/test-slots.ts';
import { manualClock } from '../types/clock.ts';
import { fail } from '../types/result.ts';
import { unixSeconds } from '../types/units.ts';
import { createYieldingWaits } from '../types/yielding-waits.ts';
import { createInFlight } from './in-flight.ts';
import type { WorkResult } from './outcome.ts';
import type { PaidPorts, PricedRequest } from './paid-request.ts';
import { serveOwed } from './serve-owed.ts';

// Payments whose first run broke (D-272). Store and clock are real; the chain shows what a test says.

const clock = manualClock(now);
let store: OpenStore;
beforeAll(async () => {
  store = await openSqliteStore({ path: ':memory:', clock, busyTimeoutMs: 1_000, balanceAgeMaxSeconds: 60 });
});
afterAll(() => store.close());

/** An owed payment that the chain shows. */
async function owed(isRunning = false): Promise<PaymentRecord> {
  const claim = createClaim(randomAddress(), 5n, { leaseUntil: unixSeconds(clock.steadySeconds() + 30) });
  const claimed = await store.reserve(claim, createReading(9n), now);
  if (claimed.kind !== 'reserved') throw new Error(`not reserved but ${claimed.kind}`);
  const { id } = claimed.payment;
  await store.owe(id);
  await store.settle([id], inclusionAt(2));
  if (!isRunning) await store.endOwedRun(id, claimed.payment.leaseUntil);
  const payment = await store.find(id);
  if (payment === null) throw new Error('the payment is not in the store');
  return payment;
}

const fault = { kind: 'overloaded', detail: 'the test says so' } as const;

async function serve(
  payment: PaymentRecord,
  change: Partial<PaidPorts> = {},
  room = 1,
  engine = createCountingEngine(),
) {
  const requirements = { asset } as Partial<PaymentRequirements> as PaymentRequirements;
  const request = {
    quote: { requirements },
    task: text(),
    engine,
    site: '192.0.2.1',
    identify: () => ({ id: 'one', created: 1, model: 'one' }),
    compose: () => ({ text: 'pong' }),
  } as unknown as PricedRequest;
  const settled: Settlement = { state: 'settled', txHash: inclusionAt(2).txHash };
  const ports = {
    clock,
    log: createLog('silent'),
    store,
    settler: { settle: async () => settled, waiting: () => 0 },
    saleIssue: async () => null,
    inFlight: createInFlight<WorkResult>(),
    unsettledWaits: createYieldingWaits(),
    slots: createTestSlots(),
    prover: { prove: () => ({ header: 'proof', record: null }) },
    stopped: new AbortController().signal,
    limits: { inferenceTimeoutMs: 1_000, settlementWaitMs: 1_000, concurrentInferencesMax: room },
    ...change,
  } as unknown as PaidPorts;
  const outcome = await serveOwed(request, payment, ports);
  return { outcome, runs: engine.runs };
}

it('runs the model again, stores its completion, and replays it', async () => {
  const payment = await owed();
  const served = { kind: 'paid', completion: '{"text":"pong"}', proof: 'proof', replayed: true };
  expect(await serve(payment)).toMatchObject({ outcome: served, runs: 1 });
  expect(await store.find(payment.id)).toMatchObject({ isOwed: false, completion: served.completion });
});

const pending = { outcome: { kind: 'settlement-pending' }, runs: 0 };

it('waits while another process runs it', async () => {
  expect(await serve(await owed(true))).toMatchObject(pending);
});

it.each<[string, Partial<PaidPorts>, number]>([
  ['sell nothing now', { saleIssue: async () => 'down' }, 1],
  ['take no more requests', {}, -1],
  ['run no more inferences of the model (D-313)', { slots: createTestSlots(null, 0) }, 1],
])('runs nothing at a gateway that can %s', async (_, change, room) => {
  const payment = await owed();
  expect(await serve(payment, change, room)).toMatchObject(pending);
  expect((await serve(payment)).runs).toBe(1);
});

it.each<[Settlement, string]>([
  [{ state: 'refused', reason: 'insufficient_funds' }, 'insufficient-funds'],
  [{ state: 'unknown' }, 'settlement-pending'],
])('runs nothing while the chain shows %o', async (settlement, kind) => {
  const settler = { settle: async () => settlement, waiting: () => 0 } as Partial<
    PaidPorts['settler']
  > as PaidPorts['settler'];
  expect(await serve(await owed(), { settler })).toMatchObject({ outcome: { kind }, runs: 0 });
});

it('leaves its place while it waits for the chain, and then needs one for the run (D-359)', async () => {
  const payment = await owed();
  let others = 0;
  const settle = async (...of: unknown[]): Promise<Settlement> => {
    expect(of).toEqual([payment]);
    // The gateway is full until another request only waits.
    others = 1;
    return { state: 'settled', txHash: inclusionAt(2).txHash };
  };
  const settler = { settle, waiting: () => others, giveWay: () => true } as unknown as PaidPorts['settler'];
  expect(await serve(payment, { settler }, -1)).toMatchObject({ outcome: { kind: 'paid' }, runs: 1 });
});

it('replays the completion that another process stored meanwhile', async () => {
  const payment = await owed();
  const taken = await store.takeOwed(payment.id, payment.leaseUntil, clock.steadySeconds());
  await store.completeOwed(payment.id, taken?.leaseUntil ?? payment.leaseUntil, completion, null);
  expect(await serve(payment)).toMatchObject({ outcome: { kind: 'paid', completion }, runs: 0 });
});

it('rests longer after each rerun that fails, so that an outage of minutes is no refund case', async () => {
  const { id } = await owed();
  const again = async () => {
    const engine = createCountingEngine();
    engine.answering = async () => fail(fault);
    const payment = await store.find(id);
    if (payment === null) throw new Error('the payment is not in the store');
    return serve(payment, {}, 1, engine);
  };
  for (const restSeconds of [5, 20, 80, 320]) {
    expect(await again()).toMatchObject({ outcome: { kind: 'inference-failed', isCharged: true }, runs: 1 });
    expect(await again()).toMatchObject({ outcome: { retryAfterSeconds: restSeconds }, runs: 0 });
    clock.advance(restSeconds - 1);
    expect(await again()).toMatchObject({ outcome: { ...pending.outcome, retryAfterSeconds: 1 }, runs: 0 });
    clock.advance(1);
  }
  expect(await again()).toMatchObject({ outcome: { kind: 'refund-due' }, runs: 1 });
  expect(await again()).toMatchObject({ outcome: { kind: 'refund-due' }, runs: 0 });
});

it('ends its lease when the engine throws, so that the next request need not wait', async () => {
  const payment = await owed();
  const prove = () => {
    throw new Error('the test says so');
  };
  await expect(serve(payment, { prover: { prove } })).rejects.toThrow('the test says so');
  const left = await store.find(payment.id);
  expect((await serve(left ?? payment)).runs).toBe(1);
});
