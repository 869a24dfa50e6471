import { headerNames } from '@paid-inference/contract/constants';
import { readPaymentRequired } from './payment/gateway-error.ts';
import { readOffer } from './payment/offer.ts';
import { type PaymentOutcome, retryAfterSeconds } from './payment/outcome.ts';
import type { ReceivedResponse } from './payment/send.ts';
import type { Failed, Refused } from './result.ts';

/** Turns a response without a completion into an error. `expected` names the expected content of a 2xx. */
export function failed(received: ReceivedResponse, payment: PaymentOutcome, expected: string): Failed {
  const { response, error } = received;
  return {
    kind: 'error',
    status: response.status,
    code: error?.code ?? null,
    type: error?.type ?? null,
    message: error?.message ?? unexpected(response, expected),
    param: error?.param ?? null,
    requestId: response.headers.get(headerNames.requestId),
    retryAfterSeconds: retryAfterSeconds(received),
    payment,
  };
}

/** A rejected payment: the gateway returned a second 402 (D-03), which the client does not pay. */
export function refusedByGateway(received: ReceivedResponse, payment: PaymentOutcome): Refused {
  const read = readOffer(received.response.headers);
  const reason = readPaymentRequired(received.body) ?? 'payment_required';
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
