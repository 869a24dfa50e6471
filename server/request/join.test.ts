import { expect, it } from 'vitest';
import { noFingerprint, type PaymentRecord } from '../store/store.ts';
import { createClaim, now, randomAddress } from '../testing/store/claims.ts';
import { manualClock } from '../types/clock.ts';
import { type NewPayment, shareResult } from './join.ts';
import type { Outcome } from './outcome.ts';
import type { PaidPorts, PricedRequest } from './paid-request.ts';

const request = {
  fingerprint: 'one',
  settlementType: 'private',
  quote: { requirements: { asset: randomAddress() } },
} as unknown as PricedRequest;
const result = { kind: 'paid' } as Outcome;
const { authorization, signature } = createClaim(randomAddress(), 1n);

/** Shares a result with an authorization, for which the store knows a payment. */
function share(known: Partial<PaymentRecord>): Promise<Outcome> {
  const payment = { state: 'settled', completion: null, isOwed: false, ...known } as PaymentRecord;
  const ports = {
    store: { reserve: async () => ({ kind: 'known', payment, sameRequest: false }) },
    clock: manualClock(now),
    limits: { inferenceTimeoutMs: 1_000 },
  } as unknown as PaidPorts;
  const purchase = { hash: 'purchase', isRetry: false, keyHeader: null };
  return shareResult(
    request,
    { payment: { authorization, signature }, purchase } as unknown as NewPayment,
    result,
    ports,
  );
}

it('shares a private completion also after the store has dropped its request (D-258)', async () => {
  const { authorization: other } = createClaim(randomAddress(), 1n);
  expect(await share({ fingerprint: 'one', authorization: other })).toBe(result);
  expect(await share({ fingerprint: noFingerprint, authorization: other })).toBe(result);
});

it('shares nothing with an authorization that has bought something itself (D-258)', async () => {
  expect(await share({ fingerprint: noFingerprint, authorization })).toMatchObject({ kind: 'offer' });
  expect(await share({ fingerprint: 'two', authorization })).toMatchObject({ kind: 'offer' });
});
