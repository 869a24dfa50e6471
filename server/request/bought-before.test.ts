import type { PaymentRequirements } from '@paid-inference/contract/types';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { createRefusalLimit } from '../http/rate-limit.ts';
import type { AcceptablePayment } from '../payment/signature.ts';
import { openSqliteStore } from '../store/sqlite/sqlite-store.ts';
import type { Claim, OpenStore, PaymentRecord } from '../store/store.ts';
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
import { type Address, unixSeconds } from '../types/units.ts';
import { createYieldingWaits } from '../types/yielding-waits.ts';
import { executeAndSettle } from './execute.ts';
import { createInFlight } from './in-flight.ts';
import type { WorkResult } from './outcome.ts';
import type { PaidPorts, PricedRequest } from './paid-request.ts';

// For a known payment the gateway responds from the store, whatever the state of chain, upstream and load
// (D-160).

let store: OpenStore;
beforeAll(async () => {
  const clock = manualClock(now);
  store = await openSqliteStore({ path: ':memory:', clock, busyTimeoutMs: 1_000, balanceAgeMaxSeconds: 60 });
});
afterAll(() => store.close());

function never(): Promise<never> {
  return new Promise(() => undefined);
}

/** Only the store responds; every other dependency fails. */
function ports(concurrentInferencesMax: number): PaidPorts {
  const limits = { concurrentInferencesMax, settlementMarginSeconds: 0 } as Partial<
    PaidPorts['limits']
  > as PaidPorts['limits'];
  const outside = { saleIssue: never, readPayer: never, checkTransfer: never };
  return {
    store,
    ...outside,
    inFlight: createInFlight<WorkResult>(),
    unsettledWaits: createYieldingWaits(),
    slots: createTestSlots(),
    settler: { waiting: () => 0 } as Partial<PaidPorts['settler']> as PaidPorts['settler'],
    refusals: createRefusalLimit(null),
    limits,
  } as Partial<PaidPorts> as PaidPorts;
}

function send(
  claim: Claim,
  room = 1,
  change: Partial<PricedRequest> = {},
  more: Partial<PaidPorts> = {},
): Promise<WorkResult> {
  const requirements = { asset } as Partial<PaymentRequirements> as PaymentRequirements;
  const task = { model: 'one' } as Partial<PricedRequest['task']> as PricedRequest['task'];
  const quote = { requirements } as PricedRequest['quote'];
  const request = { quote, task, fingerprint: claim.fingerprint, ...change } as PricedRequest;
  const payment = claim as Partial<Claim> as AcceptablePayment;
  const purchase = { hash: claim.authorization.nonce, isRetry: false, keyHeader: null };
  const waiting = { purchase, network: '192.0.2.1', everybodyLeft: new AbortController().signal };
  return executeAndSettle(request, payment, waiting, { ...ports(room), ...more });
}

async function reserved(): Promise<PaymentRecord> {
  const claimed = await store.reserve(createClaim(randomAddress(), 5n), createReading(9n), now);
  if (claimed.kind !== 'reserved') throw new Error(`not reserved but ${claimed.kind}`);
  return claimed.payment;
}

async function bought(): Promise<PaymentRecord> {
  const payment = await reserved();
  await store.execute(payment.id, completion, null);
  await store.settle([payment.id], inclusionAt(2));
  return payment;
}

describe.each([
  ['with room for more requests', 1],
  ['with the maximum number of requests in progress', 0],
])('With all nodes down, a gateway %s', (_, room) => {
  it('replays the response that a payment bought', async () => {
    expect(await send(await bought(), room)).toMatchObject({ kind: 'paid', completion, replayed: true });
  });

  it('reports that a payment was used for another request', async () => {
    expect(await send(await bought(), room, { fingerprint: 'another' })).toMatchObject({
      kind: 'offer',
      reason: 'invalid_exact_evm_nonce_already_used',
    });
  });

  it('reports that a completion was dropped', async () => {
    const payment = await bought();
    await store.dropCompletion(payment.id);
    expect(await send(payment, room)).toMatchObject({
      kind: 'offer',
      message: expect.stringMatching(/no longer kept.*If you did not get it, ask the operator for a refund/),
    });
  });
});

it('asks for a new authorization when the completion of a refused payment is gone (D-236)', async () => {
  const claimed = await reserved();
  await store.execute(claimed.id, completion, null);
  await store.fail(claimed.id, 'insufficient_funds', null);
  const settle = async () => ({ state: 'refused', reason: 'insufficient_funds' }) as const;
  const settler = { settle, waiting: () => 0 } as Partial<PaidPorts['settler']> as PaidPorts['settler'];
  const clock = manualClock(now);
  await store.dropRefusedCompletionsBefore(unixSeconds(now + 1));
  const message = expect.stringContaining('Sign a new one');
  expect(await send(claimed, 1, {}, { settler, clock })).toMatchObject({
    kind: 'insufficient-funds',
    message,
  });
});

describe('The rate limit of a payer (D-32)', () => {
  const admitted: string[] = [];
  const refuses = async (payer: string) => {
    admitted.push(payer);
    return { retryAfterSeconds: 7 };
  };

  it('does not count a payment that the store knows: it is public, and anybody can send it', async () => {
    const payment = await bought();
    await send(payment, 1, { fingerprint: 'another' }, { admitPayer: refuses });
    expect(admitted).toEqual([]);
  });

  it('counts a new payment', async () => {
    const claim = createClaim(randomAddress(), 5n);
    const sent = send(claim, 1, {}, { admitPayer: refuses, saleIssue: async () => null });
    expect(await sent).toEqual({ kind: 'rate-limited', retryAfterSeconds: 7 });
    expect(admitted).toEqual([claim.authorization.from]);
  });
});

describe.each([
  ['payer', 1, null],
  ['model', null, 1],
] as const)('With all places of the %s taken (D-313)', (full, payerMax, modelMax) => {
  const sells = { saleIssue: async () => null };

  /** Ports whose only place is taken, and a function that releases it. */
  async function taken(payer: Address) {
    const slots = createTestSlots(payerMax, modelMax);
    const place = slots.enter({ model: 'one', payer, site: '192.0.2.1' });
    if (typeof place === 'string') throw new Error(`the ${place} is full`);
    await place.start(new AbortController().signal);
    return { slots, leave: place.leave };
  }

  it('a new payment gets overloaded before the chain is asked or the request is counted', async () => {
    const claim = createClaim(randomAddress(), 5n);
    const { slots, leave } = await taken(claim.authorization.from);
    const admitPayer = vi.fn(async () => ({ retryAfterSeconds: 7 }));
    const sent = () => send(claim, 1, {}, { ...sells, slots, admitPayer });
    expect(await sent()).toEqual({ kind: 'overloaded', full, retryAfterSeconds: 1 });
    expect(admitPayer).not.toHaveBeenCalled();
    leave();
    expect(await sent()).toMatchObject({ kind: 'rate-limited' });
    // A request that is not admitted releases its place.
    expect(await sent()).toMatchObject({ kind: 'rate-limited' });
  });

  it('a payment whose inference another gateway has begun gets no overloaded', async () => {
    const payment = await reserved();
    const { slots } = await taken(payment.authorization.from);
    expect(await send(payment, 1, {}, { ...sells, slots })).toMatchObject({ kind: 'settlement-pending' });
  });

  it('a paid completion is replayed', async () => {
    const payment = await bought();
    const { slots } = await taken(payment.authorization.from);
    expect(await send(payment, 1, {}, { slots })).toMatchObject({ kind: 'paid', replayed: true });
  });
});

describe('A gateway with the maximum number of requests in progress', () => {
  it('returns overloaded for a payment that the store does not know', async () => {
    const full = { kind: 'overloaded', full: 'gateway' };
    expect(await send(createClaim(randomAddress(), 5n), 0)).toMatchObject(full);
    const payment = await reserved();
    await store.release(payment.id);
    expect(await send(payment, 0)).toMatchObject(full);
  });

  it('does not return overloaded for a payment whose inference another gateway has begun', async () => {
    expect(await send(await reserved(), 0)).toMatchObject({ kind: 'settlement-pending' });
  });
});
