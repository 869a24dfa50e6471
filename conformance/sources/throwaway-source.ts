import { headerNames } from '@paid-inference/contract/constants';
import type { InsufficientFundsBody } from '@paid-inference/contract/types';
import type { Context } from '../context/context.ts';
import type { Offer } from '../payment/offer.ts';
import type { Signed, Spoiling } from '../payment/throwaway.ts';
import { andThen, type Found, found, inapplicable, missing } from '../types/found.ts';
import type { Answered } from '../wire/exchange.ts';

import { bodyFor, type PaidEndpoint, validRequest } from './bodies.ts';
import { describe, errorOf, passing } from './judgements.ts';
import { demanding, offer, offerIn, paymentRequired } from './sources.ts';
import { answersOf, endOfOffer, paymentHeaderOf } from './transcript-queries.ts';

export type Spoil = (offer: Offer) => Spoiling;

// The compiler holds this to the contract's types.
const insufficientFunds = 'insufficient_funds' as const satisfies InsufficientFundsBody['error']['code'];

/** The answer to a valid request with a payment by the throw-away key, which owns nothing. */
export function paidByThrowaway(
  context: Context,
  endpoint: PaidEndpoint,
  spoil: Spoil = () => ({}),
  offerFor = standingOffer,
): Promise<Found<Answered>> {
  return andThen(throwawayPayment(context, endpoint, spoil, offerFor), (payment) =>
    sendPayment(context, endpoint, payment),
  );
}

/** Content of `X-PAYMENT`, and when the offer that it is for is over. */
export type ThrowawayPayment = { readonly content: string; readonly endsAtMs: number };

/** A payment that is signed by the throw-away key, for an offer that stands. */
export function throwawayPayment(
  context: Context,
  endpoint: PaidEndpoint,
  spoil: Spoil = () => ({}),
  offerFor = standingOffer,
): Promise<Found<ThrowawayPayment>> {
  return andThen(offerFor(context, endpoint), async ({ offer, endsAtMs }) => {
    const content = await context.throwaway.pay(offer, context.nowSeconds(), spoil(offer));
    return found({ content, endsAtMs });
  });
}

/**
 * Sends a valid request with whatever stands for a payment by a key that owns nothing. Where the offer was over before the
 * answer came, since the target asked for patience or took its time, a refusal may be for that.
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
  return andThen(context.send({ ...request, isRepeatable: true }), (answered) =>
    answered.endedAtMs <= endsAtMs
      ? found(answered)
      : missing(`the offer was over before request ${answered.number} was answered`),
  );
}

/** Offers that are good for no longer are asked for anew for each payment. */
const shortSecondsMax = 60;
/** Of any other, a payment has what is left after this share of its time. */
const ageShareMax = 0.1;

type StandingOffer = { readonly offer: Offer; readonly endsAtMs: number };

/** An offer with its end, with time enough left to pay for it: an earlier one of the run, or else a new one. */
async function standingOffer(context: Context, endpoint: PaidEndpoint): Promise<Found<StandingOffer>> {
  const first = await paymentRequired(context, endpoint);
  if (!first.ok) return first;
  const { url, body } = first.value.request;
  const last = answersOf(context, 402).findLast(
    (past) => past.request.url === url && past.request.body === body && paymentHeaderOf(past) === undefined,
  );
  for (const earlier of [first.value, ...(last ? [last] : [])]) {
    const offer = offerIn(earlier);
    // What cannot be signed for is not asked for again: another one would hide it.
    if (!offer.ok) return offer;
    const { maxTimeoutSeconds } = offer.value;
    const ageSeconds = context.nowSeconds() - earlier.sentAtMs / 1000;
    if (maxTimeoutSeconds <= shortSecondsMax || ageSeconds > maxTimeoutSeconds * ageShareMax) continue;
    context.cite([earlier]);
    return found({ offer: offer.value, endsAtMs: endOfOffer(offer.value, earlier.sentAtMs) });
  }
  return freshOffer(context, endpoint);
}

/** An offer that nobody has paid for: whoever keeps a price for each may keep none that was paid (D-130). */
export function freshOffer(
  context: Context,
  endpoint: PaidEndpoint,
  body: unknown = bodyFor(endpoint, context.model),
): Promise<Found<StandingOffer>> {
  const request = validRequest(endpoint, body);
  return andThen(andThen(context.send(request), demanding), (asked) => {
    const offer = offerIn(asked);
    return offer.ok
      ? found({ offer: offer.value, endsAtMs: endOfOffer(offer.value, asked.sentAtMs) })
      : offer;
  });
}

/** The one answer to a chat whose signature has one byte changed. */
export function tampered(context: Context): Promise<Found<Answered>> {
  return context.once(tamperedChat);
}

function tamperedChat(context: Context) {
  return paidByThrowaway(context, 'chat', tamper);
}

/** The one answer to a payment that is signed as it should be, by a payer who owns nothing. */
export function unfunded(context: Context, endpoint: PaidEndpoint): Promise<Found<Answered>> {
  return context.once(unfundedPayment[endpoint]);
}

const unfundedPayment = {
  chat: (context: Context) => payWithoutFunds(context, 'chat'),
  completions: (context: Context) => payWithoutFunds(context, 'completions'),
} as const;

function payWithoutFunds(context: Context, endpoint: PaidEndpoint): Promise<Found<Answered>> {
  return andThen(pricedOffer(context, endpoint), () => paidByThrowaway(context, endpoint));
}

/** The first offer, where it asks for anything: at a price of zero a payer without funds has enough. */
export function pricedOffer(context: Context, endpoint: PaidEndpoint): Promise<Found<Offer>> {
  return andThen(offer(context, endpoint), (made) =>
    made.maxAmountRequired > 0n
      ? found(made)
      : inapplicable<Offer>('the price is zero, so that no balance is too low'),
  );
}

/**
 * A payment that is signed as it should be is not answered 401: else that status says nothing about a signature. At a
 * price of zero no such payment can be made that costs nobody anything but the work, and none is.
 */
export async function takesSignatures(context: Context, endpoint: PaidEndpoint): Promise<Found<true>> {
  const signed = await unfunded(context, endpoint);
  if (!signed.ok) return signed.verdict.kind === 'not-applicable' ? found(true) : signed;
  const passed = passing(signed.value);
  if (passed) return { ok: false, verdict: passed };
  return signed.value.outcome.status === 401
    ? missing(`a payment that is signed as it should be was answered ${describe(signed.value)} too`)
    : found(true);
}

/**
 * The deployment tells one payment from another: one that is signed as it should be, by a payer without funds, is answered
 * otherwise than a request without a payment, or than one with a bad signature. Else a refusal says nothing about what it
 * refuses.
 */
export function readsPayments(context: Context): Promise<Found<true>> {
  return andThen(takesSignatures(context, 'chat'), async () => {
    const signed = await unfunded(context, 'chat');
    if (!signed.ok || !isBarePaymentRequired(signed.value)) return found(true);
    return andThen(tampered(context), (answered) =>
      isBarePaymentRequired(answered)
        ? missing('whatever comes as a payment is answered as if none had come')
        : found(true),
    );
  });
}

/** A 402 that says nothing about the payment that was sent. */
export function isBarePaymentRequired({ outcome }: Answered): boolean {
  return outcome.status === 402 && errorOf(outcome.body) === undefined;
}

export function isAboutFunds({ outcome }: Answered): boolean {
  return outcome.status === 402 && errorOf(outcome.body)?.['code'] === insufficientFunds;
}

/** One byte of the signature is another. */
export function tamper(): Spoiling {
  return {
    edit: ({ authorization, signature }: Signed) => ({
      authorization,
      signature: withByteChanged(signature),
    }),
  };
}

/** The tenth byte is within `r`, so the signature still has the right form. */
export function withByteChanged(signature: string): string {
  const byte = Number.parseInt(signature.slice(20, 22), 16) ^ 0xff;
  return signature.slice(0, 20) + byte.toString(16).padStart(2, '0') + signature.slice(22);
}
