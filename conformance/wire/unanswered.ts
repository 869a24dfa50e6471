import { endpoints, headerNames } from '@paid-inference/contract/constants';
import type { Exchange } from './exchange.ts';

import type { WireOutcome, WireRequest } from './wire.ts';

/** A longer body may exceed a bound, and a connection that closes during the upload hides the refusal (§8). */
const bytesMax = 16_384;
const busyStatuses = new Set([502, 503, 504]);
const paths = [endpoints.createChatCompletion.path, endpoints.createCompletion.path];
const paymentHeader = headerNames.payment.toLowerCase();

/** Whether a request has no payment. */
export function isFree({ headers }: WireRequest): boolean {
  return !Object.keys(headers).some((name) => name.toLowerCase() === paymentHeader);
}

/** Whether the connection broke before a response, or the response is a busy status without `Retry-After`. */
export function isUnanswered(outcome: WireOutcome): boolean {
  if (outcome.kind === 'failure') return outcome.hasBrokenOff === true;
  return busyStatuses.has(outcome.status) && !outcome.headers.has('retry-after');
}

/**
 * Whether the request needs a response each time. A busy status may last for one model or payment, but not for
 * an invalid body, which needs no work.
 */
export function mustBeAnswered({ request, outcome }: Exchange): boolean {
  const { method, url, body = '', isOnlyObserved, isProvenInvalid } = request;
  const isForSale = method === 'POST' && paths.some((path) => new URL(url).pathname.endsWith(path));
  const isShort = Buffer.byteLength(body) <= bytesMax;
  return isForSale && isShort && !isOnlyObserved && (outcome.kind === 'failure' || isProvenInvalid === true);
}
