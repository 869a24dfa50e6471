import { headerNames } from '@paid-inference/contract/constants';
import type { ErrorCode } from '@paid-inference/contract/errors';
import type { PaymentAuthorization, PaymentReceipt } from '@paid-inference/contract/types';
import type { ReceivedResponse } from './send.ts';

/** The state of the payment, as far as the client can know without the chain. */
export type PaymentOutcome =
  /** No authorization left this process. */
  | { readonly state: 'unsent' }
  /** The gateway says that it charged nothing. The authorization stays valid until `validBefore`. */
  | { readonly state: 'released'; readonly authorization: PaymentAuthorization }
  /** The outcome is unknown: until `validBefore` the chain may still settle the authorization. */
  | { readonly state: 'maybe-charged'; readonly authorization: PaymentAuthorization }
  /** The gateway returned a receipt that matches the authorization. */
  | {
      readonly state: 'settled';
      readonly authorization: PaymentAuthorization;
      readonly receipt: PaymentReceipt;
    };

/**
 * Whether a response without a receipt says that the payment was not charged. Only the gateway's error envelope
 * counts, because a proxy cannot know. A second 402 with an offer means that the gateway rejected the payment
 * (D-03).
 */
export function releases({ response, error }: ReceivedResponse): boolean {
  if (response.status === 402 && response.headers.has(headerNames.paymentRequired)) return true;
  if (error === null) return false;
  const isRefusal = response.status >= 400 && response.status < 500 && !undecided.has(response.status);
  return isRefusal || releasingCodes.has(error.code);
}

/** A timeout, a conflict with another request, and a request that came too early do not say what became of the payment. */
const undecided: ReadonlySet<number> = new Set([408, 409, 425]);

/**
 * Whether a retry with the same authorization may succeed: after a 5xx, a rate limit, the timeout of a proxy, or if the
 * gateway says so to SDKs. The client never retries with a new authorization, which could charge twice (D-24).
 */
export function passes({ response: { status, headers } }: ReceivedResponse): boolean {
  const mayRetry = status >= 400 && headers.get(headerNames.shouldRetry) === 'true';
  return status === 408 || status === 429 || status >= 500 || mayRetry;
}

/** Whether the body is a JSON object, as every body of the contract is. */
export function hasJson({ body }: ReceivedResponse): boolean {
  try {
    const value: unknown = JSON.parse(body);
    return typeof value === 'object' && value !== null && !Array.isArray(value);
  } catch {
    return false;
  }
}

/** The seconds of `Retry-After`; null without them. The contract has no date form. */
export function retryAfterSeconds({ response }: ReceivedResponse): number | null {
  const text = response.headers.get(headerNames.retryAfterSeconds);
  return text !== null && /^[0-9]{1,9}$/.test(text) ? Number.parseInt(text, 10) : null;
}

/** Server errors after which nothing was charged (D-07, D-22). */
export const releasingCodes: ReadonlySet<string> = new Set<ErrorCode>([
  'overloaded',
  'unavailable',
  'upstream_error',
  'upstream_timeout',
]);
