import { createHash } from 'node:crypto';
import { headerNames } from '@paid-inference/contract/constants';
import { namePaymentHeader, type SubmittedPayment } from '../payment/decode.ts';
import type { Purchase } from '../store/purchase.ts';
import type { PricedRequest } from './paid-request.ts';

/** 132 bits, so that rows and indexes stay short. */
const hashLength = 22;

/** A purchase, and the header with its key; null for a purchase that is known by its request alone. */
export type KeyedPurchase = Purchase & { readonly keyHeader: string | null };

/**
 * Identifies the purchase of a request: the payer and its key, or the payer and the whole request (D-258). The key is
 * the `Idempotency-Key`, which an SDK repeats, else the id of x402's `payment-identifier`, which many clients make
 * anew for each signature. The store gets only a hash.
 */
export function identifyPurchase(
  { fingerprint, quote, payment, retry }: PricedRequest,
  { authorization, paymentId }: Pick<SubmittedPayment, 'authorization' | 'paymentId'>,
): KeyedPurchase {
  const isRetry = /^0*[1-9]\d*$/.test(retry.retryCount ?? '');
  const hash = (kind: string, key: string) =>
    createHash('sha256')
      .update(`${quote.requirements.asset}\n${authorization.from}\n${kind}\n${key}`)
      .digest('base64url')
      .slice(0, hashLength);
  if (retry.idempotencyKey)
    return {
      hash: hash(headerNames.idempotencyKey, retry.idempotencyKey),
      isRetry: true,
      keyHeader: headerNames.idempotencyKey,
    };
  if (paymentId !== undefined)
    return {
      hash: hash('payment-identifier', paymentId),
      isRetry: true,
      keyHeader: namePaymentHeader(payment),
    };
  return { hash: hash('request', fingerprint), isRetry, keyHeader: null };
}
