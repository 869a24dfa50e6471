import { headerNames } from '@paid-inference/contract/constants';
import type { ErrorCode } from '@paid-inference/contract/errors';
import type { PaymentAuthorization, PaymentReceipt } from '@paid-inference/contract/types';
import type { Answer } from './send.ts';

/** What became of the money, as far as the client can know without asking the chain. */
export type PaymentOutcome =
  /** No authorization left this machine. */
  | { readonly state: 'unsent' }
  /** The gateway says that nothing was charged. The signature is out there until `validBefore` all the same. */
  | { readonly state: 'released'; readonly authorization: PaymentAuthorization }
  /** No answer, or none that says so. Until `validBefore` the chain may still settle it, under its nonce. */
  | { readonly state: 'maybe-charged'; readonly authorization: PaymentAuthorization }
  /** The gateway showed a receipt that fits what was signed. */
  | {
      readonly state: 'settled';
      readonly authorization: PaymentAuthorization;
      readonly receipt: PaymentReceipt;
    };

/**
 * What an answer without a receipt says about the payment. Only the error envelope counts as the gateway's word: a
 * proxy in between knows nothing. A demand for payment (402 with an offer) says that this one was not taken (D-03).
 */
export function releases({ response, error }: Answer): boolean {
  if (response.status === 402 && response.headers.has(headerNames.paymentRequired)) return true;
  if (error === null) return false;
  return (response.status >= 400 && response.status < 500) || releasingCodes.has(error.code);
}

/**
 * Whether sending the same authorization again may bring another answer: a server's failure or a rate limit. Never
 * another authorization: that could be a second charge (D-24).
 */
export function passes({ response }: Answer): boolean {
  return response.status === 429 || response.status >= 500;
}

/** Seconds to wait that the answer asks for; null where it names none. The date form of HTTP is not the contract's. */
export function retryAfterSeconds({ response }: Answer): number | null {
  const text = response.headers.get(headerNames.retryAfterSeconds);
  return text !== null && /^[0-9]{1,9}$/.test(text) ? Number.parseInt(text, 10) : null;
}

/** The failures of a server after which nothing was charged (D-07, D-22). */
const releasingCodes: ReadonlySet<string> = new Set<ErrorCode>([
  'overloaded',
  'unavailable',
  'upstream_error',
  'upstream_timeout',
]);
