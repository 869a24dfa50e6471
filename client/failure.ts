import { headerNames } from '@paid-inference/contract/constants';
import { readPaymentRequired } from './payment/gateway-error.ts';
import { readOffer } from './payment/offer.ts';
import { type PaymentOutcome, retryAfterSeconds } from './payment/outcome.ts';
import type { Answer } from './payment/send.ts';
import type { Failed, Refused } from './result.ts';

/** Turns a response without a completion into an error. `expected` names the expected content of a 2xx. */
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

/** A rejected payment: the gateway returned a second 402 (D-03), which the client does not pay. */
export function refusedByGateway(answer: Answer, payment: PaymentOutcome): Refused {
  const read = readOffer(answer.response.headers);
  const reason = readPaymentRequired(answer.body) ?? 'payment_required';
  const offer = read.ok ? read.offer : null;
  return {
    kind: 'refused',
    by: 'gateway',
    reason,
    message: `the gateway rejected the payment: ${reason}`,
    offer,
    payment,
  };
}

function unexpected(response: Response, expected: string): string {
  const { status, headers } = response;
  if (response.ok) return `the response is not ${expected}`;
  const location = headers.get('location');
  if (location !== null) return `the gateway redirects to ${location}; the client follows no redirects`;
  return `the gateway returned ${status} without an error of the contract`;
}
