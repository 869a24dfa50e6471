import { headerNames } from '@paid-inference/contract/constants';
import { readPaymentRequired } from './payment/gateway-error.ts';
import { readOffer } from './payment/offer.ts';
import { type PaymentOutcome, retryAfterSeconds } from './payment/outcome.ts';
import type { Answer } from './payment/send.ts';
import type { Failed, Refused } from './result.ts';

/** Puts an answer without a completion into words; `expected` is what a 2xx should have held. */
export function failed(answer: Answer, payment: PaymentOutcome, expected: string): Failed {
  const { response, error } = answer;
  return {
    kind: 'error',
    status: response.status,
    code: error?.code ?? null,
    type: error?.type ?? null,
    message: error?.message ?? unexpected(response, expected),
    param: error?.param ?? null,
    requestId: response.headers.get(headerNames.requestId),
    retryAfterSeconds: retryAfterSeconds(answer),
    payment,
  };
}

/** A payment that the gateway did not take: a 402 that demands payment once more (D-03), never paid again. */
export function refusedByGateway(answer: Answer, payment: PaymentOutcome): Refused {
  const read = readOffer(answer.response.headers);
  const reason = readPaymentRequired(answer.body) ?? 'payment_required';
  const offer = read.ok ? read.offer : null;
  return {
    kind: 'refused',
    by: 'gateway',
    reason,
    message: `the gateway did not take the payment: ${reason}`,
    offer,
    payment,
  };
}

function unexpected(response: Response, expected: string): string {
  const { status, headers } = response;
  if (response.ok) return `the answer is not ${expected}`;
  const location = headers.get('location');
  if (location !== null) return `the gateway redirects to ${location}, and redirects are not followed`;
  return `the gateway answered ${status} without an error that the contract knows`;
}
