import type { PaymentRequirements } from '@paid-inference/contract/types';
import { describe, expect, it } from 'vitest';
import { asset, createClaim, randomAddress } from '../testing/store/claims.ts';
import type { PricedRequest } from './paid-request.ts';
import { identifyPurchase } from './purchase.ts';

type Said = {
  readonly payer?: ReturnType<typeof randomAddress>;
  readonly fingerprint?: string;
  readonly idempotencyKey?: string;
  readonly retryCount?: string;
  readonly paymentId?: string;
};

const alice = randomAddress();

/** Identifies the purchase of a request that says these things. */
function identify({ payer = alice, fingerprint = 'one', idempotencyKey, retryCount, paymentId }: Said = {}) {
  const requirements = { asset } as Partial<PaymentRequirements> as PaymentRequirements;
  const request = {
    fingerprint,
    quote: { requirements } as PricedRequest['quote'],
    payment: { payment: undefined, paymentSignature: 'a payment' },
    retry: { idempotencyKey, retryCount },
  } as Partial<PricedRequest> as PricedRequest;
  const { authorization } = createClaim(payer, 1n);
  return identifyPurchase(request, { authorization, ...(paymentId !== undefined && { paymentId }) });
}

describe('D-258: without a key', () => {
  it('payer and request name the purchase, and the nonce does not', () => {
    expect(identify()).toEqual(identify());
    expect(identify()).toMatchObject({ isRetry: false, keyHeader: null });
    expect(identify({ fingerprint: 'two' }).hash).not.toBe(identify().hash);
    expect(identify({ payer: randomAddress() }).hash).not.toBe(identify().hash);
  });

  it.each([
    ['1', true],
    ['02', true],
    ['0', false],
    ['-1', false],
    ['1.5', false],
    ['', false],
  ])('x-stainless-retry-count %j means retry: %s', (retryCount, isRetry) => {
    expect(identify({ retryCount })).toEqual({ ...identify(), isRetry });
  });
});

describe('D-260: with a key', () => {
  it('payer and key name the purchase, and it counts as a retry', () => {
    const keyed = identify({ idempotencyKey: 'a' });
    expect(keyed).toMatchObject({ isRetry: true, keyHeader: 'Idempotency-Key' });
    expect(identify({ idempotencyKey: 'a', fingerprint: 'two' })).toEqual(keyed);
    expect(identify({ idempotencyKey: 'b' }).hash).not.toBe(keyed.hash);
    expect(identify({ idempotencyKey: 'a', payer: randomAddress() }).hash).not.toBe(keyed.hash);
    expect(JSON.stringify(keyed)).not.toContain('"a"');
  });

  it('an Idempotency-Key counts before a payment-identifier, and they do not mix', () => {
    const paymentId = 'pay_0123456789ab';
    const both = identify({ idempotencyKey: 'a', paymentId });
    expect(both).toEqual(identify({ idempotencyKey: 'a' }));
    expect(identify({ paymentId })).toMatchObject({ isRetry: true, keyHeader: 'PAYMENT-SIGNATURE' });
    expect(identify({ paymentId }).hash).not.toBe(identify({ idempotencyKey: paymentId }).hash);
  });

  it('an empty Idempotency-Key is no key', () => {
    expect(identify({ idempotencyKey: '' })).toEqual(identify());
  });
});
