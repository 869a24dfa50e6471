import type { AcceptablePayment } from '../payment/signature.ts';
import { noFingerprint, type PaymentRecord } from '../store/store.ts';
import { isForRequest } from './fingerprint.ts';
import type { Outcome } from './outcome.ts';
import type { PaidPorts, PricedRequest } from './paid-request.ts';
import type { KeyedPurchase } from './purchase.ts';
import { replayKnown } from './replay.ts';
import { createClaim, tryReserve } from './reserve.ts';
import { releasePayment } from './retry-write.ts';

/** A payment, and the purchase that it is for. */
export type NewPayment = { readonly payment: AcceptablePayment; readonly purchase: KeyedPurchase };

/**
 * Joins the payment that was made for the purchase before, so that the new authorization is never charged (D-258).
 * Null when that payment can be joined no longer.
 */
export async function joinEarlier(
  request: PricedRequest,
  { payment, purchase }: NewPayment,
  ports: PaidPorts,
): Promise<PaymentRecord | null> {
  const claimed = await tryReserve(createClaim(request, payment, ports), null, purchase, ports);
  if (claimed.kind === 'known') return claimed.payment;
  if (claimed.kind === 'reserved') await releasePayment(claimed.payment, ports);
  return null;
}

/** Replays the payment that an authorization made or joined. A key names one request of its payer (D-260). */
export async function replayBought(
  request: PricedRequest,
  known: PaymentRecord,
  { payment, purchase: { keyHeader } }: NewPayment,
  ports: PaidPorts,
): Promise<Outcome> {
  const isOwn = known.authorization.nonce === payment.authorization.nonce;
  const isOtherRequest = !isForRequest(known, request) && known.fingerprint !== noFingerprint;
  if (isOwn || !isOtherRequest || keyHeader === null) return replayKnown(request, known, ports);
  const message =
    'This key named another request of this payer. Nothing was charged. Send a new key with a new request.';
  return { kind: 'invalid', fault: { param: keyHeader, message } };
}

const bought: ReadonlySet<Outcome['kind']> = new Set(['paid', 'streaming', 'settlement-pending']);

/** Records that an authorization shares the result of work that another one of the same purchase had started. */
export async function shareResult(
  request: PricedRequest,
  { payment, purchase }: NewPayment,
  result: Outcome,
  ports: PaidPorts,
): Promise<Outcome> {
  if (!bought.has(result.kind)) return result;
  // The first client may have its response already.
  const joined = await joinEarlier(request, { payment, purchase: { ...purchase, isRetry: true } }, ports);
  if (joined === null || isForRequest(joined, request)) return result;
  // The store has dropped the private request since; its purchase is still the one that was joined.
  const isOther = joined.authorization.nonce !== payment.authorization.nonce;
  if (isOther && joined.fingerprint === noFingerprint) return result;
  // The authorization itself may have bought another request meanwhile.
  return replayKnown(request, joined, ports);
}
