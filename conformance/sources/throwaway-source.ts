import { headerNames } from '@paid-inference/contract/constants';
import type { InsufficientFundsBody } from '@paid-inference/contract/types';
import type { Context } from '../context/context.ts';
import type { Offer } from '../payment/offer.ts';
import { whyUnsignable } from '../payment/terms.ts';
import type { Signed, Spoiling } from '../payment/throwaway.ts';
import { type Found, found, inapplicable, missing } from '../types/found.ts';
import type { Answered } from '../wire/exchange.ts';

import { bodyFor, type PaidEndpoint, validRequest } from './bodies.ts';
import { describe, judgeTransient, readError } from './judgements.ts';
import { demanding, offer, offerIn, paymentRequired } from './sources.ts';
import { endOfOffer, listResponses, readPaymentHeader } from './transcript-queries.ts';

export type Spoil = (offer: Offer) => Spoiling;

// The compiler compares this constant with the contract's types.
const insufficientFunds = 'insufficient_funds' as const satisfies InsufficientFundsBody['error']['code'];

/** The response to a valid request with a payment by the throw-away key, which has no funds. */
export async function paidByThrowaway(
  context: Context,
  endpoint: PaidEndpoint,
  spoil: Spoil = () => ({}),
  offerFor = standingOffer,
): Promise<Found<Answered>> {
  const payment = await throwawayPayment(context, endpoint, spoil, offerFor);
  return payment.ok ? sendPayment(context, endpoint, payment.value) : payment;
}

/** Content of `X-PAYMENT`, and the end of its offer. */
export type ThrowawayPayment = { readonly content: string; readonly endsAtMs: number };

/** A payment by the throw-away key for an offer that is still valid. */
export async function throwawayPayment(
  context: Context,
  endpoint: PaidEndpoint,
  spoil: Spoil = () => ({}),
  offerFor = standingOffer,
): Promise<Found<ThrowawayPayment>> {
  const standing = await offerFor(context, endpoint);
  if (!standing.ok) return standing;
  const { offer, endsAtMs } = standing.value;
  const spoiling = spoil(offer);
  const reason = whyUnsignable(spoiling.terms, offer);
  if (reason !== undefined) return inapplicable(reason);
  const content = await context.throwaway.pay(offer, context.nowSeconds(), spoiling);
  return found({ content, endsAtMs });
}

/**
 * Sends a valid request with a payment by the throw-away key. If the offer expired before the response, because
 * of `Retry-After` or a slow target, the result is unknown.
 */
export async function sendPayment(
  context: Context,
  endpoint: PaidEndpoint,
  { content, endsAtMs }: ThrowawayPayment,
  body: unknown = bodyFor(endpoint, context.model),
): Promise<Found<Answered>> {
  const request = validRequest(endpoint, body, {
    [headerNames.payment]: content,
  });
  const answered = await context.send({ ...request, isRepeatable: true });
  if (!answered.ok || answered.value.endedAtMs <= endsAtMs) return answered;
  return missing(`the offer expired before the response to request ${answered.value.number}`);
}

/** Offers that last no longer than this are requested anew for each payment. */
const shortSecondsMax = 60;
/** Other offers are reused until this share of their time has passed. */
const ageShareMax = 0.1;

type StandingOffer = { readonly offer: Offer; readonly endsAtMs: number };

/**
 * An offer with enough time left, and its end: an earlier offer of the run if possible, otherwise a new one.
 */
async function standingOffer(context: Context, endpoint: PaidEndpoint): Promise<Found<StandingOffer>> {
  const first = await paymentRequired(context, endpoint);
  if (!first.ok) return first;
  const { url, body } = first.value.request;
  const last = listResponses(context, 402).findLast(
    (past) => past.request.url === url && past.request.body === body && readPaymentHeader(past) === undefined,
  );
  for (const earlier of [first.value, ...(last ? [last] : [])]) {
    const offer = offerIn(earlier);
    // An unsignable offer is returned as it is: a new one would hide the fault.
    if (!offer.ok) return offer;
    const { maxTimeoutSeconds } = offer.value;
    const ageSeconds = context.nowSeconds() - earlier.sentAtMs / 1000;
    if (maxTimeoutSeconds <= shortSecondsMax || ageSeconds > maxTimeoutSeconds * ageShareMax) continue;
    context.cite([earlier]);
    return found({ offer: offer.value, endsAtMs: endOfOffer(offer.value, earlier.sentAtMs) });
  }
  return freshOffer(context, endpoint);
}

/** An unused offer. A gateway that stores a price per offer may drop it once it is paid (D-130). */
export async function freshOffer(
  context: Context,
  endpoint: PaidEndpoint,
  body: unknown = bodyFor(endpoint, context.model),
): Promise<Found<StandingOffer>> {
  const answered = await context.send(validRequest(endpoint, body));
  if (!answered.ok) return answered;
  const asked = demanding(answered.value);
  if (!asked.ok) return asked;
  const offer = offerIn(asked.value);
  if (!offer.ok) return offer;
  return found({ offer: offer.value, endsAtMs: endOfOffer(offer.value, asked.value.sentAtMs) });
}

/** Returns a function that requests an unused offer, and returns the same one for the first part of its time. */
export function reusingFreshOffer(): typeof standingOffer {
  let last: StandingOffer | undefined;
  return async (context, endpoint) => {
    const { maxTimeoutSeconds } = last?.offer ?? { maxTimeoutSeconds: 0 };
    const leftSeconds = (last?.endsAtMs ?? 0) / 1000 - context.nowSeconds();
    const isYoung = leftSeconds > maxTimeoutSeconds * (1 - ageShareMax);
    if (last && isYoung && maxTimeoutSeconds > shortSecondsMax) return found(last);
    const fresh = await freshOffer(context, endpoint);
    if (fresh.ok) last = fresh.value;
    return fresh;
  };
}

/** The response to a chat payment with one changed byte in the signature. */
export function tampered(context: Context): Promise<Found<Answered>> {
  return context.once(tamperedChat);
}

function tamperedChat(context: Context) {
  return paidByThrowaway(context, 'chat', tamper);
}

/** The response to a correctly signed payment by a payer without funds. */
export function unfunded(context: Context, endpoint: PaidEndpoint): Promise<Found<Answered>> {
  return context.once(unfundedPayment[endpoint]);
}

const unfundedPayment = {
  chat: (context: Context) => payWithoutFunds(context, 'chat'),
  completions: (context: Context) => payWithoutFunds(context, 'completions'),
} as const;

async function payWithoutFunds(context: Context, endpoint: PaidEndpoint): Promise<Found<Answered>> {
  const priced = await pricedOffer(context, endpoint);
  return priced.ok ? paidByThrowaway(context, endpoint) : priced;
}

/** The first offer, if its price is not zero: at a price of zero, a payer without funds has enough. */
export async function pricedOffer(context: Context, endpoint: PaidEndpoint): Promise<Found<Offer>> {
  const made = await offer(context, endpoint);
  if (!made.ok || made.value.maxAmountRequired > 0n) return made;
  return inapplicable('the price is zero, so no balance is too low');
}

/**
 * Checks that a correctly signed payment does not get 401: otherwise that status says nothing about a
 * signature. At a price of zero such a payment would be served, so none is made.
 */
export async function takesSignatures(context: Context, endpoint: PaidEndpoint): Promise<Found<true>> {
  const signed = await unfunded(context, endpoint);
  if (!signed.ok) return signed.verdict.kind === 'not-applicable' ? found(true) : signed;
  const passed = judgeTransient(signed.value);
  if (passed) return { ok: false, verdict: passed };
  if (signed.value.outcome.status !== 401) return found(true);
  return missing(`a correctly signed payment also got ${describe(signed.value)}`);
}

/**
 * Checks that the deployment distinguishes payments. A correctly signed payment without funds must get another
 * response than an unpaid request, or than a payment with a bad signature. Otherwise a refusal says nothing
 * about its cause.
 */
export async function readsPayments(context: Context): Promise<Found<true>> {
  const takes = await takesSignatures(context, 'chat');
  if (!takes.ok) return takes;
  const signed = await unfunded(context, 'chat');
  if (!signed.ok || !isBarePaymentRequired(signed.value)) return found(true);
  const spoiled = await tampered(context);
  if (!spoiled.ok) return spoiled;
  if (!isBarePaymentRequired(spoiled.value)) return found(true);
  return missing('the deployment answers every payment like a request without payment');
}

/** A 402 without an error, which says nothing about the payment that was sent. */
export function isBarePaymentRequired({ outcome }: Answered): boolean {
  return outcome.status === 402 && readError(outcome.body) === undefined;
}

export function isAboutFunds({ outcome }: Answered): boolean {
  return outcome.status === 402 && readError(outcome.body)?.['code'] === insufficientFunds;
}

/** Changes one byte of the signature. */
export function tamper(): Spoiling {
  return {
    edit: ({ authorization, signature }: Signed) => ({
      authorization,
      signature: withByteChanged(signature),
    }),
  };
}

/** The tenth byte is part of `r`, so the signature keeps its form. */
export function withByteChanged(signature: string): string {
  const byte = Number.parseInt(signature.slice(20, 22), 16) ^ 0xff;
  return signature.slice(0, 20) + byte.toString(16).padStart(2, '0') + signature.slice(22);
}
