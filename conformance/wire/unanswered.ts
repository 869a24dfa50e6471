import { endpoints, headerNames } from '@paid-inference/contract/constants';
import type { Exchange } from './exchange.ts';

import type { WireOutcome, WireRequest } from './wire.ts';

/** Longer bodies may be over a bound, and a connection that ends while they are sent hides the refusal (contract 8). */
const bytesMax = 16_384;
const busyStatuses = new Set([502, 503, 504]);
const paths = [endpoints.createChatCompletion.path, endpoints.createCompletion.path];
const paymentHeader = headerNames.payment.toLowerCase();

/** Whether a request carries no payment. */
export function isFree({ headers }: WireRequest): boolean {
  return !Object.keys(headers).some((name) => name.toLowerCase() === paymentHeader);
}

/** Whether there is no answer though there was time for one, or only that the target is busy, with no word on how long. */
export function isUnanswered(outcome: WireOutcome): boolean {
  if (outcome.kind === 'failure') return outcome.hasBrokenOff === true;
  return busyStatuses.has(outcome.status) && !outcome.headers.has('retry-after');
}

/**
 * Whether nothing but an answer is right each time. What is busy may stay so for one model or one kind of payment, and not for a body
 * that is invalid: nothing has to be done for it.
 */
export function mustBeAnswered({ request, outcome }: Exchange): boolean {
  const { method, url, body = '', isOnlyObserved, isProvenInvalid } = request;
  const isForSale = method === 'POST' && paths.some((path) => new URL(url).pathname.endsWith(path));
  const isShort = Buffer.byteLength(body) <= bytesMax;
  return isForSale && isShort && !isOnlyObserved && (outcome.kind === 'failure' || isProvenInvalid === true);
}
