import {
  encodePaymentReceipt,
  encodePaymentRequirements,
  encodeX402V2Offer,
} from '@paid-inference/contract/headers';
import type { Exchange, Operations, Reply } from '../http/contract.ts';
import { errorBody } from '../http/reply.ts';
import { assertNever } from '../vocabulary/result.ts';
import type { Outcome } from './outcome.ts';
import { type Quote, v1Offer, v2Offer } from './quote.ts';

export type PaidOperation = 'createChatCompletion' | 'createCompletion';
type Failure = Exclude<Reply<Operations[PaidOperation]>, { readonly status: 200 }>;
type Success<Id extends PaidOperation> = Extract<Reply<Operations[Id]>, { readonly status: 200 }>;

/** Says an outcome in HTTP: the status of the table, the headers of the contract. The only place that does. */
export function present<Id extends PaidOperation>(
  outcome: Outcome,
  exchange: Exchange,
): Success<Id> | Failure {
  const common = {
    'Cache-Control': 'no-store',
    ...(exchange.ignoredFields.length > 0 && { 'X-Ignored-Fields': exchange.ignoredFields.join(', ') }),
  };
  if (outcome.kind === 'paid') return presentPaid<Id>(outcome, common);
  return presentFailure(outcome, common);
}

function presentPaid<Id extends PaidOperation>(
  { answer, receipt, replayed }: Extract<Outcome, { kind: 'paid' }>,
  common: CommonHeaders,
): Success<Id> {
  const encoded = encodePaymentReceipt(receipt);
  return {
    status: 200,
    headers: {
      ...common,
      'X-PAYMENT-RESPONSE': encoded,
      'PAYMENT-RESPONSE': encoded,
      ...(replayed && { 'Idempotent-Replayed': 'true' }),
    },
    body: JSON.parse(answer) as Success<Id>['body'],
  } as unknown as Success<Id>;
}

type CommonHeaders = { readonly 'Cache-Control': string; readonly 'X-Ignored-Fields'?: string };

function presentFailure(outcome: Exclude<Outcome, { kind: 'paid' }>, common: CommonHeaders): Failure {
  // A retry by an SDK would sign again; whoever wants one sends the same payment again by intent (D-26).
  const final = { ...common, 'x-should-retry': 'false' };
  switch (outcome.kind) {
    case 'offer':
      return {
        status: 402,
        headers: { ...final, ...offerHeaders(outcome.quote, outcome.reason) },
        body: v1Offer(outcome.quote.requirements, outcome.reason, outcome.message),
      };
    case 'insufficient-funds':
      return {
        status: 402,
        headers: { ...final, ...offerHeaders(outcome.quote, 'insufficient_funds') },
        body: errorBody('insufficient_funds', outcome.message),
      };
    case 'invalid-signature':
      return {
        status: 401,
        headers: final,
        body: errorBody('invalid_signature', outcome.message, 'X-PAYMENT'),
      };
    case 'rate-limited':
      return {
        status: 429,
        headers: { ...common, 'Retry-After': outcome.retryAfterSeconds },
        body: errorBody(
          'rate_limited',
          'This payer sends too many requests; wait as long as Retry-After says.',
        ),
      };
    case 'overloaded':
      return unavailable(
        'overloaded',
        'The gateway is full; nothing was reserved or charged.',
        outcome,
        final,
      );
    case 'unavailable':
      return unavailable('unavailable', `${outcome.message} Nothing was charged.`, outcome, final);
    case 'settlement-pending': {
      const message =
        'The payment is on its way; send the same request with the same X-PAYMENT again, never a new one.';
      return unavailable('settlement_pending', message, outcome, final);
    }
    case 'inference-failed':
      return presentInferenceFault(outcome, final);
    default:
      return assertNever(outcome);
  }
}

function unavailable(
  code: 'overloaded' | 'unavailable' | 'settlement_pending',
  message: string,
  { retryAfterSeconds }: { readonly retryAfterSeconds: number },
  headers: CommonHeaders & { readonly 'x-should-retry': string },
): Failure {
  return {
    status: 503,
    headers: { ...headers, 'Retry-After': retryAfterSeconds },
    body: errorBody(code, message),
  } as Failure;
}

function presentInferenceFault(
  { fault }: Extract<Outcome, { kind: 'inference-failed' }>,
  headers: CommonHeaders & { readonly 'x-should-retry': string },
): Failure {
  const nothing = 'Nothing was charged, and the same X-PAYMENT may be sent again.';
  switch (fault.kind) {
    case 'timeout':
      return {
        status: 504,
        headers,
        body: errorBody('upstream_timeout', `The model did not answer in time. ${nothing}`),
      };
    case 'overloaded':
      return unavailable('overloaded', `The model is busy. ${nothing}`, { retryAfterSeconds: 1 }, headers);
    case 'failed':
    case 'cancelled':
      return {
        status: 502,
        headers,
        body: errorBody('upstream_error', `The model did not answer. ${nothing}`),
      };
    default:
      return assertNever(fault.kind);
  }
}

function offerHeaders(
  { requirements }: Quote,
  reason: string,
): {
  readonly 'X-PAYMENT-REQUIRED': string;
  readonly 'PAYMENT-REQUIRED': string;
} {
  return {
    'X-PAYMENT-REQUIRED': encodePaymentRequirements(requirements),
    'PAYMENT-REQUIRED': encodeX402V2Offer(v2Offer(requirements, reason)),
  };
}
