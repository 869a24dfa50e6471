import { headerNames } from '@paid-inference/contract/constants';
import { decodePaymentRequirements } from '@paid-inference/contract/headers';
import type { PaymentRequirements } from '@paid-inference/contract/types';
import type { Refusal } from './rules.ts';

export type OfferReading =
  | { readonly ok: true; readonly offer: PaymentRequirements }
  | { readonly ok: false; readonly refusal: Refusal };

/**
 * Reads the offer of a 402 from `X-PAYMENT-REQUIRED` (contract §2.8). Ignores the body, which the contract does
 * not show. Refusals: `offer_missing`, `offer_unreadable`.
 */
export function readOffer(headers: Headers): OfferReading {
  const text = headers.get(headerNames.paymentRequired);
  if (text === null) {
    return refuse('offer_missing', `the gateway's 402 has no ${headerNames.paymentRequired}`);
  }
  const decoded = decodePaymentRequirements(text);
  if (decoded.ok) return { ok: true, offer: decoded.value };
  const where = decoded.path === '' ? '' : ` at ${decoded.path}`;
  return refuse('offer_unreadable', `${headerNames.paymentRequired} ${decoded.message}${where}`);
}

function refuse(reason: 'offer_missing' | 'offer_unreadable', message: string): OfferReading {
  return { ok: false, refusal: { reason, message } };
}
