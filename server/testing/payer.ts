import { randomBytes } from 'node:crypto';
import { endpoints, headerNames } from '@paid-inference/contract/constants';
import { paymentDomain, transferWithAuthorizationTypes } from '@paid-inference/contract/eip712';
import type { ErrorCode } from '@paid-inference/contract/errors';
import {
  decodeInferenceProof,
  decodePaymentReceipt,
  decodePaymentRequirements,
  encodePaymentObject,
} from '@paid-inference/contract/headers';
import type {
  ChatChoice,
  InferenceProof,
  PaymentAuthorization,
  PaymentReceipt,
  PaymentRequirements,
  TextCompletion,
} from '@paid-inference/contract/types';
import { Wallet } from 'ethers';
import type { ErrorBody } from '../http/reply.ts';

/**
 * The members that tests read from the bodies of all routes. Each body has some of them. In a 402 with an offer, `error` is
 * the text of x402, which a test compares as a whole.
 */
type ReceivedBody = {
  readonly id: string;
  readonly error: ErrorBody<ErrorCode>['error'];
  readonly choices: readonly [ChatChoice & TextCompletion['choices'][number]];
  /** Of x402, in a 402 with an offer. */
  readonly x402Version: number;
  readonly message: string;
  /** Of JSON-RPC. */
  readonly result: string;
};

type ReceivedHead = { readonly status: number; readonly headers: Headers };

export type ReceivedResponse = ReceivedHead & {
  readonly body: ReceivedBody;
};

export const chatBody = {
  model: 'alder/alder-mini',
  messages: [{ role: 'user', content: 'ping' }],
  max_tokens: 16,
};
export const chatPath = endpoints.createChatCompletion.path;
export const textPath = endpoints.createCompletion.path;

/** A request that takes longer fails by name, before the test that sends it ends at its own limit. */
const requestTimeoutMs = 30_000;

/** Sends a body. Text is sent unchanged, any other value as JSON. */
export async function post(
  url: string,
  body: unknown,
  headers: Record<string, string> = {},
  signal?: AbortSignal,
): Promise<ReceivedResponse> {
  const deadline = AbortSignal.timeout(requestTimeoutMs);
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', ...headers },
    body: typeof body === 'string' ? body : JSON.stringify(body),
    redirect: 'error',
    signal: signal ? AbortSignal.any([signal, deadline]) : deadline,
  });
  return {
    status: response.status,
    headers: response.headers,
    body: (await response.json()) as ReceivedBody,
  };
}

/** Decodes the offer of a response. Throws when it has none. */
export function decodeOffer(response: ReceivedHead): PaymentRequirements {
  const decoded = decodePaymentRequirements(response.headers.get(headerNames.paymentRequired) ?? '');
  if (!decoded.ok) throw new Error(`no offer on a ${response.status}: ${decoded.message}`);
  return decoded.value;
}

/** Decodes the proof of a response. Throws when it has none. */
export function decodeProof(response: ReceivedHead): InferenceProof {
  const decoded = decodeInferenceProof(response.headers.get(headerNames.inferenceProof) ?? '');
  if (!decoded.ok) throw new Error(`no proof on a ${response.status}: ${decoded.message}`);
  return decoded.value;
}

export function decodeReceipt(response: ReceivedHead): PaymentReceipt {
  const decoded = decodePaymentReceipt(response.headers.get(headerNames.paymentResponse) ?? '');
  if (!decoded.ok) throw new Error(`no receipt on a ${response.status}: ${decoded.message}`);
  return decoded.value;
}

/** Builds the authorization that a client would sign for an offer, with the changes of a test. */
export function authorizationFor(
  offer: PaymentRequirements,
  from: string,
  change: Partial<PaymentAuthorization> = {},
): PaymentAuthorization {
  return {
    from,
    to: offer.payTo,
    value: offer.maxAmountRequired,
    validAfter: 0,
    validBefore: Math.floor(Date.now() / 1000) + offer.maxTimeoutSeconds,
    nonce: `0x${randomBytes(32).toString('hex')}`,
    ...change,
  };
}

export async function sign(
  privateKey: string,
  offer: PaymentRequirements,
  authorization: PaymentAuthorization,
): Promise<string> {
  const domain = paymentDomain(offer);
  return new Wallet(privateKey).signTypedData(domain, transferWithAuthorizationTypes, authorization);
}

/** The `X-PAYMENT` header for an offer. */
export async function paymentFor(
  offer: PaymentRequirements,
  privateKey: string,
  change: Partial<PaymentAuthorization> = {},
): Promise<Record<string, string>> {
  const authorization = authorizationFor(offer, new Wallet(privateKey).address, change);
  const signature = await sign(privateKey, offer, authorization);
  return { [headerNames.payment]: encodePaymentObject({ payload: { signature, authorization } }) };
}
