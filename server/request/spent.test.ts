import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { createLog } from '../observe/log.ts';
import type { ReadPayer } from '../payment/balance.ts';
import type { AcceptablePayment } from '../payment/signature.ts';
import { openSqliteStore } from '../store/sqlite/sqlite-store.ts';
import type { Claim } from '../store/store.ts';
import { sendAsThirdParty } from '../testing/chain/send-as-third-party.ts';
import { startTestGateway, type TestGateway } from '../testing/gateway.ts';
import { chatBody, chatPath, decodeOffer, paymentFor, post } from '../testing/payer.ts';
import { createClaim, createReading, inclusionAt, randomAddress } from '../testing/store/claims.ts';
import { systemClock } from '../types/clock.ts';
import { atomicAmount, unixSeconds } from '../types/units.ts';
import { createYieldingWaits } from '../types/yielding-waits.ts';
import { createInFlight } from './in-flight.ts';
import type { Outcome } from './outcome.ts';
import { reserve } from './reserve.ts';

let gateway: TestGateway;
const warn = vi.fn();
beforeAll(async () => {
  const log = { info: vi.fn(), warn, error: vi.fn(), debug: vi.fn() };
  gateway = await startTestGateway({}, undefined, { log });
});
afterAll(() => gateway.stop());

it('an authorization that is used on the chain and unknown to the store buys nothing, because the chain makes it public', async () => {
  const chat = `${gateway.url}${chatPath}`;
  const header = await paymentFor(decodeOffer(await post(chat, chatBody)), gateway.devnet.payer.privateKey);
  await sendAsThirdParty(gateway, header);
  const response = await post(chat, chatBody, header);
  expect([response.status, response.body.error]).toEqual([402, 'invalid_exact_evm_nonce_already_used']);
  expect(gateway.engine.runs).toBe(0);
  // A store that is an old copy refuses payers who paid, and the operator can refund them (D-235).
  const { address } = gateway.devnet.payer;
  const refund = { payer: address, payTo: gateway.devnet.payTo, amount: '1000', nonce: expect.any(String) };
  expect(warn).toHaveBeenCalledWith(refund, expect.stringMatching(/spent before this store knew it/));
});

it('a payment that another gateway on this store settles during the read of the chain counts as known', async () => {
  const clock = systemClock;
  const now = clock.nowSeconds();
  const store = await openSqliteStore({
    path: ':memory:',
    clock,
    busyTimeoutMs: 1_000,
    balanceAgeMaxSeconds: 60,
  });
  try {
    const requirements = decodeOffer(await post(`${gateway.url}${chatPath}`, chatBody));
    const asset = gateway.devnet.token.address;
    const claim = createClaim(randomAddress(), 5n, { asset, leaseUntil: unixSeconds(now + 60) });
    // By now the store has returned that it does not know the payment.
    const settledMeanwhile: ReadPayer = async () => {
      const claimed = await store.reserve(claim, createReading(5n, 1, now), now);
      if (claimed.kind !== 'reserved') throw new Error(`not reserved but ${claimed.kind}`);
      await store.execute(claimed.payment.id, '{}', null);
      await store.settle([claimed.payment.id], inclusionAt(2));
      return { ok: true, value: { reading: createReading(0n, 2, now), isSpent: true } };
    };
    const limits = { inferenceTimeoutMs: 60_000, settlementWaitMs: 1, unsettledWaitMs: 1 };
    const unused = {
      paymentHeaderBytesMax: 1,
      settlementMarginSeconds: 1,
      concurrentInferencesMax: 1,
      privateCompletionKeepSeconds: 0,
      rpcTimeoutMs: 10_000,
    };
    const ports = {
      clock,
      log: createLog('silent'),
      store,
      readPayer: settledMeanwhile,
      checkTransfer: () => Promise.resolve('passes' as const),
      inFlight: createInFlight<Outcome>(),
      unsettledWaits: createYieldingWaits(),
      limits: { ...limits, ...unused },
    };
    const request = {
      quote: { price: atomicAmount(5n), requirements: { ...requirements, asset } },
      fingerprint: claim.fingerprint,
      settlementType: 'batch',
      site: '192.0.2.1',
    } as const;
    const payment = claim as Partial<Claim> as AcceptablePayment;
    const purchase = { hash: claim.authorization.nonce, isRetry: false };
    const waiting = { purchase, everybodyLeft: new AbortController().signal };
    expect(await reserve(request, payment, waiting, ports)).toMatchObject({
      kind: 'known',
      sameRequest: true,
      payment: { state: 'settled' },
    });
  } finally {
    await store.close();
  }
});
