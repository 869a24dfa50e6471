import { network } from '@paid-inference/contract/constants';
import { encodePaymentReceipt, encodeX402V2Refusal } from '@paid-inference/contract/headers';
import type { Exchange, Operations, Reply } from '../http/contract.ts';
import type { InvalidRequest } from '../http/param.ts';
import { errorBody } from '../http/reply.ts';
import { assertNever } from '../types/result.ts';
import type { Address } from '../types/units.ts';
import type { Outcome } from './outcome.ts';
import { offerHeaders, paymentMissing, v1Offer } from './quote.ts';

type PaidOperation = 'createChatCompletion' | 'createCompletion';
export type PaidOutcome = Extract<Outcome, { kind: 'paid' }>;
export type StreamingOutcome = Extract<Outcome, { kind: 'streaming' }>;

/** The facts about a request that its response repeats. */
export type Presented = Pick<Exchange, 'ignoredFields'> & {
  /** The header with the payment. */
  readonly paymentHeader: 'X-PAYMENT' | 'PAYMENT-SIGNATURE';
};

/** Every response of the two paid operations except 200. */
export type Failure = Exclude<Reply<Operations[PaidOperation]>, { readonly status: 200 }>;
type PaidHeaders = Extract<Reply<Operations[PaidOperation]>, { readonly status: 200 }>['headers'];

/**
 * The headers of a paid response: the receipt for every x402 version (contract §4.1, D-25), and the proof
 * (D-68).
 */
export function paidHeaders(
  { receipt, proof, replayed }: Pick<PaidOutcome, 'receipt' | 'proof' | 'replayed'>,
  request: Presented,
): PaidHeaders {
  const encoded = encodePaymentReceipt(receipt);
  return {
    ...commonHeaders(request),
    'X-PAYMENT-RESPONSE': encoded,
    'PAYMENT-RESPONSE': encoded,
    ...(proof !== null && { 'X-INFERENCE-PROOF': proof }),
    ...(replayed && { 'Idempotent-Replayed': 'true' }),
  };
}

/** Presents a body or header that breaks a rule of the contract. */
function invalidRequest({ message, param }: InvalidRequest, request: Presented): Failure {
  return {
    status: 400,
    headers: { ...commonHeaders(request), 'x-should-retry': 'false' },
    body: errorBody('invalid_request', message, param),
  };
}

type CommonHeaders = { readonly 'Cache-Control': string; readonly 'X-Ignored-Fields'?: string };

function commonHeaders({ ignoredFields }: Presented): CommonHeaders {
  return {
    'Cache-Control': 'no-store',
    ...(ignoredFields.length > 0 && { 'X-Ignored-Fields': ignoredFields.join(', ') }),
  };
}

/**
 * Turns every other outcome into its HTTP response, with the status of the error table and the headers of the
 * contract. SDKs retry a 429 or 5xx with a new payment. It is never charged beside the first one (D-26).
 */
export function presentFailure(
  outcome: Exclude<Outcome, PaidOutcome | StreamingOutcome>,
  request: Presented,
): Failure {
  const common = commonHeaders(request);
  const final = { ...common, 'x-should-retry': 'false' };
  switch (outcome.kind) {
    case 'offer':
      return {
        status: 402,
        headers: {
          ...final,
          ...offerHeaders(outcome.quote, outcome.reason),
          ...(outcome.reason !== paymentMissing && refusalHeader(outcome.reason, outcome.payer)),
        },
        body: v1Offer(outcome.quote.requirements, outcome.reason, outcome.message),
      };
    case 'invalid':
      return invalidRequest(outcome.fault, request);
    case 'insufficient-funds':
      return {
        status: 402,
        headers: {
          ...final,
          ...offerHeaders(outcome.quote, 'insufficient_funds'),
          ...refusalHeader('insufficient_funds', outcome.payer),
        },
        body: errorBody('insufficient_funds', outcome.message),
      };
    case 'invalid-signature':
      return {
        status: 401,
        headers: { ...final, ...refusalHeader('invalid_exact_evm_payload_signature') },
        body: errorBody('invalid_signature', outcome.message, request.paymentHeader),
      };
    case 'rate-limited':
      return rateLimited('This payer sends too many requests', outcome, common);
    case 'too-many-refusals':
      return rateLimited('Too many payments from this address were refused', outcome, common);
    case 'overloaded':
      return unavailable(
        'overloaded',
        `${fullSentences[outcome.full]} Nothing was charged, and the same payment may be sent again.`,
        outcome,
        common,
      );
    case 'unavailable':
      return unavailable('unavailable', outcome.message, outcome, common);
    case 'settlement-pending': {
      const message = 'This payment is still in progress. Send the same request with the same payment again.';
      return unavailable('settlement_pending', message, outcome, outcome.newPaymentCosts ? final : common);
    }
    case 'inference-failed':
      return presentInferenceFault(outcome, common);
    case 'refund-due':
      return { status: 502, headers: final, body: errorBody('upstream_error', outcome.message) };
    default:
      return assertNever(outcome);
  }
}

const fullSentences = {
  gateway: 'The gateway is full.',
  model: 'The model runs as many requests as it may.',
  payer: 'This payer has as many requests in progress as it may.',
} as const;

/** The reason of a refused payment, for x402 v2 clients (D-285). */
function refusalHeader(errorReason: string, payer?: Address): { readonly 'PAYMENT-RESPONSE': string } {
  const refusal = { success: false, errorReason, transaction: '', network, ...(payer && { payer }) } as const;
  return { 'PAYMENT-RESPONSE': encodeX402V2Refusal(refusal) };
}

function rateLimited(
  reason: string,
  { retryAfterSeconds }: { readonly retryAfterSeconds: number },
  headers: CommonHeaders,
): Failure {
  return {
    status: 429,
    headers: { ...headers, 'Retry-After': retryAfterSeconds },
    body: errorBody('rate_limited', `${reason}; wait the seconds of Retry-After.`),
  };
}

function unavailable(
  code: 'overloaded' | 'unavailable' | 'settlement_pending',
  message: string,
  { retryAfterSeconds }: { readonly retryAfterSeconds: number },
  headers: CommonHeaders,
): Failure {
  return {
    status: 503,
    headers: { ...headers, 'Retry-After': retryAfterSeconds },
    body: errorBody(code, message),
  } as Failure;
}

function presentInferenceFault(
  { fault, isCharged }: Extract<Outcome, { kind: 'inference-failed' }>,
  headers: CommonHeaders,
): Failure {
  const next = isCharged
    ? 'The payment is charged. Send the same request with the same payment again.'
    : 'Nothing was charged, and the same payment may be sent again.';
  switch (fault.kind) {
    case 'timeout':
      return {
        status: 504,
        headers,
        body: errorBody('upstream_timeout', `The model did not respond in time. ${next}`),
      };
    case 'overloaded':
      return unavailable('overloaded', `The model is busy. ${next}`, { retryAfterSeconds: 1 }, headers);
    case 'failed':
    case 'cancelled':
      return {
        status: 502,
        headers,
        body: errorBody('upstream_error', `The model did not respond. ${next}`),
      };
    default:
      return assertNever(fault.kind);
  }
}
