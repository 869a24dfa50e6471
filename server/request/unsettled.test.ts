import { setImmediate as nextTurn } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { createTransferCheck } from '../chain/check-transfer.ts';
import { createHttpRpc } from '../chain/http-rpc.ts';
import type { Rpc } from '../chain/rpc.ts';
import { createPaymentToken } from '../chain/token.ts';
import { createLog } from '../observe/log.ts';
import { createPayerReader } from '../payment/balance.ts';
import type { AcceptablePayment } from '../payment/signature.ts';
import { openSqliteStore } from '../store/sqlite/sqlite-store.ts';
import type { Claim } from '../store/store.ts';
import { startTestGateway, type TestGateway } from '../testing/gateway.ts';
import { chatBody, chatPath, decodeOffer, paymentFor, post } from '../testing/payer.ts';
import { createClaim, randomAddress, transactionBy } from '../testing/store/claims.ts';
import { systemClock } from '../types/clock.ts';
import { atomicAmount, unixSeconds } from '../types/units.ts';
import { createYieldingWaits } from '../types/yielding-waits.ts';
import { createInFlight } from './in-flight.ts';
import type { Outcome } from './outcome.ts';
import { reserve } from './reserve.ts';

// A mined payment that the store has not settled yet is deducted from the balance and pending too (D-65).

let gateway: TestGateway;
/** A gateway with a short wait for unsettled payments. */
let hasty: TestGateway;

beforeAll(async () => {
  // With rare polls the store learns late that the chain mined a payment.
  const seldom = { receiptPollMs: 1_000, receiptPollMsMax: 1_000, settlementResendMs: 60_000 };
  const patient = { ...seldom, settlementWaitMs: 30_000, unsettledWaitMs: 30_000 };
  gateway = await startTestGateway(patient);
  hasty = await startTestGateway({ ...patient, unsettledWaitMs: 500 });
});
afterAll(async () => {
  await gateway.stop();
  await hasty.stop();
});
afterEach(async () => {
  for (const { rpc } of [gateway, hasty]) {
    await rpc.call('evm_setAutomine', [true]);
    await rpc.call('evm_mine', []);
  }
});

async function createPayer(prices: bigint, { url, devnet, balanceOf } = gateway) {
  const chat = `${url}${chatPath}`;
  const offer = decodeOffer(await post(chat, chatBody));
  const price = BigInt(offer.maxAmountRequired);
  const payer = await devnet.fundPayer(atomicAmount(prices * price));
  const headers = await Promise.all([1, 2].map(() => paymentFor(offer, payer.privateKey)));
  // Each has its own key, because the second would join the first (D-258).
  const pay = (which: 0 | 1) => post(chat, chatBody, { ...headers[which], 'Idempotency-Key': `${which}` });
  return { pay, balance: () => balanceOf(payer.address) };
}

/** Mines the submitted payments; the store does not know it yet. */
async function mine({ rpc } = gateway): Promise<void> {
  await rpc.call('evm_mine', []);
}

async function isSubmitted({ rpc } = gateway): Promise<void> {
  const waiting = async () => {
    const pool = await rpc.call<{ pending: string }>('txpool_status', []);
    return pool.ok ? Number(pool.value.pending) : 0;
  };
  await expect.poll(waiting).toBeGreaterThan(0);
}

describe('A payer with a balance for two requests', () => {
  it('is served twice, though the first payment is mined and still pending when the second arrives', async () => {
    const { pay, balance } = await createPayer(2n);
    await gateway.rpc.call('evm_setAutomine', [false]);
    const first = pay(0);
    await isSubmitted();
    await mine();
    await gateway.rpc.call('evm_setAutomine', [true]);
    expect(await balance()).toBeGreaterThan(0n);
    const [one, two] = await Promise.all([first, pay(1)]);
    expect([one.status, two.status]).toEqual([200, 200]);
    expect(await balance()).toBe(0n);
  });
});

describe('A payer with a balance for one request', () => {
  it('gets insufficient_funds once the first payment has settled, and 503 before: never a 402 that may be wrong', async () => {
    const { pay } = await createPayer(1n, hasty);
    await hasty.rpc.call('evm_setAutomine', [false]);
    const first = pay(0);
    await isSubmitted(hasty);
    const open = await pay(1);
    expect([open.status, open.body.error.code]).toEqual([503, 'unavailable']);
    expect(open.headers.get('Retry-After')).toBe('1');
    await mine(hasty);
    expect((await first).status).toBe(200);
    const definite = await pay(1);
    expect([definite.status, definite.body.error.code]).toEqual([402, 'insufficient_funds']);
  });

  it('gets insufficient_funds at once when no payment is pending', async () => {
    const { pay } = await createPayer(0n);
    const startedAt = performance.now();
    expect((await pay(0)).body.error.code).toBe('insufficient_funds');
    expect(performance.now() - startedAt).toBeLessThan(30_000);
  });
});

it('A thousand requests read the chain together, with a few calls each time, and 256 wait at most', async () => {
  const { rpcUrl, payer, token } = gateway.devnet;
  const clock = systemClock;
  const rpc = createHttpRpc({ url: rpcUrl, timeoutMs: 10_000, responseBytesMax: 4_194_304 });
  const store = await openSqliteStore({
    path: ':memory:',
    clock,
    busyTimeoutMs: 1_000,
    balanceAgeMaxSeconds: 60,
  });
  try {
    let calls = 0;
    const counted: Rpc = {
      call: (...parameters) => {
        calls++;
        return rpc.call(...parameters);
      },
    };
    const asset = token.address;
    const paymentToken = createPaymentToken({ rpc: counted, asset });
    const readPayer = createPayerReader({ rpc: counted, token: paymentToken, asset, canBatch: true }, clock);
    const limits = { inferenceTimeoutMs: 60_000, settlementWaitMs: 1, unsettledWaitMs: 3_000 };
    const unused = {
      paymentHeaderBytesMax: 1,
      settlementMarginSeconds: 1,
      concurrentInferencesMax: 1,
      privateCompletionKeepSeconds: 0,
      rpcTimeoutMs: 10_000,
    };
    const inFlight = createInFlight<Outcome>();
    const log = createLog('silent');
    const checkTransfer = createTransferCheck(counted, asset);
    const unsettledWaits = createYieldingWaits();
    const common = { clock, log, store, readPayer, checkTransfer, inFlight, unsettledWaits };
    const ports = { ...common, limits: { ...limits, ...unused } };
    // The whole balance of the payer is pending.
    const balance = await gateway.balanceOf(payer.address);
    const leaseUntil = unixSeconds(clock.nowSeconds() + 60);
    const all = createClaim(payer.address, balance, { asset, leaseUntil });
    const reading = { balance: atomicAmount(balance), block: 1, readAt: clock.nowSeconds() };
    const first = await store.reserve(all, reading, clock.nowSeconds());
    if (first.kind !== 'reserved') throw new Error(`not reserved but ${first.kind}`);
    await store.execute(first.payment.id, '{}', null);
    const relayer = randomAddress();
    const lease = await store.leaseRelayer(relayer, 'a relayer', leaseUntil, clock.nowSeconds());
    if (lease === null) throw new Error('Another process holds the lease.');
    await store.submit(lease, [first.payment.id], transactionBy(relayer));

    const requirements = decodeOffer(await post(`${gateway.url}${chatPath}`, chatBody));
    const quote = { price: atomicAmount(1n), requirements };
    const request = { quote, fingerprint: 'one', settlementType: 'batch', site: '192.0.2.1' } as const;
    const everybodyLeft = new AbortController().signal;
    const waiting: ReturnType<typeof reserve>[] = [];
    for (let count = 0; count < 1_000; count++) {
      const payment = createClaim(payer.address, 1n) as Partial<Claim> as AcceptablePayment;
      const purchase = { hash: payment.authorization.nonce, isRetry: false };
      waiting.push(reserve(request, payment, { purchase, everybodyLeft }, ports));
      // One request after another, as over the network.
      await nextTurn();
    }
    await nextTurn();
    await expect.poll(() => unsettledWaits.size).toBe(256);
    calls = 0;
    const results = await Promise.all(waiting);
    expect(new Set(results.map(({ kind }) => kind))).toEqual(new Set(['unsettled']));
    // After each of a few pauses all are read, two hundred in a call.
    expect(calls).toBeLessThan(60);
  } finally {
    await store.close();
    await rpc.close();
  }
});
