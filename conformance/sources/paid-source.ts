import { headerNames } from '@paid-inference/contract/constants';
import type { InsufficientFundsBody } from '@paid-inference/contract/types';
import { type Ask, type Context, urlAt } from '../context/context.ts';
import type { Budget, Purpose } from '../payment/budget.ts';
import type { Payment } from '../payment/sign.ts';
import { goodTerms, type Terms } from '../payment/terms.ts';
import { type Found, found, missing } from '../types/found.ts';
import type { JsonObject } from '../wire/base64-json.ts';
import type { Answered } from '../wire/exchange.ts';
import { jsonText } from '../wire/json-text.ts';

import { bodyFor, chatBody, completionBody, type PaidEndpoint, validRequest } from './bodies.ts';
import { describe, jsonBody, readError } from './judgements.ts';
import { type LastResponse, type PaidAsk, sendPaid } from './paying-again.ts';
import { demanding, offer, offerIn } from './sources.ts';
import {
  endOfOffer,
  identifyRequest,
  isEarlierOfferKept,
  type Made,
  offersFor,
} from './transcript-queries.ts';

export type Paid = { readonly payment: Payment; readonly answered: Answered };

export type PayOptions = {
  readonly terms?: Terms;
  readonly headers?: Readonly<Record<string, string>>;
  /** Both requests use the connection that the run keeps open. */
  readonly isOnKeptConnection?: true;
  /** Both requests have header names in lower case. */
  readonly hasSmallNames?: true;
  /** Usual headers that both requests leave out. */
  readonly lacks?: NonNullable<Ask['lacks']>;
  /** Blanks behind the JSON of the payment, which change the padding of its base64 (D-448). */
  readonly blanks?: number;
  /** Sent without payment between the offer and its payment. */
  readonly between?: Ask;
  /** Sent with the payment instead of the request of the offer. */
  readonly instead?: Ask;
};

/** A request to pay for. */
export type PaymentAsk = PayOptions & { readonly endpoint: PaidEndpoint; readonly body: unknown };

// The compiler compares this constant with the contract's types.
const insufficientFunds = 'insufficient_funds' as const satisfies InsufficientFundsBody['error']['code'];

/**
 * Performs the exchange of §4.4: request, offer, signature within the budget, paid request. The offer is new
 * where the budget allows it. Nothing is signed twice; a retry sends the same signature. A payer without funds
 * is a fault of the caller, so the result is unknown.
 */
export async function pay(
  context: Context,
  endpoint: PaidEndpoint,
  body: unknown,
  options: PayOptions = {},
): Promise<Found<Paid>> {
  const [paid = missing<Paid>('the payment was not sent')] = await payTogether(context, [
    { ...options, endpoint, body },
  ]);
  return paid;
}

/** Performs the exchange for several requests, whose payments are sent at the same time, beside other requests. */
export async function payTogether(
  context: Context,
  asks: readonly PaymentAsk[],
  beside: readonly Ask[] = [],
): Promise<readonly Found<Paid>[]> {
  const { budget } = context;
  if (!budget) return asks.map(() => missing('the run has no funded key. Give --key-file'));
  const prepared: Found<Prepared>[] = [];
  for (const ask of asks) prepared.push(await prepare(context, budget, ask));
  const ready = prepared.flatMap((each) => (each.ok ? [each.value] : []));
  const responses = ready.length > 0 ? await sendPaid(context, ready, beside) : [];
  return prepared.map((each) => {
    const response = each.ok ? responses[ready.indexOf(each.value)] : undefined;
    if (!each.ok) return each;
    return response ? conclude(context, budget, each.value, response) : missing('the payment was not sent');
  });
}

/** A payment that is ready to be sent. */
type Prepared = PaidAsk & { readonly authorized: Authorized };

/** Requests an offer and signs a payment for it. */
async function prepare(
  context: Context,
  budget: Budget,
  { endpoint, body, terms = 'exact', headers, ...options }: PaymentAsk,
): Promise<Found<Prepared>> {
  const { instead, between, isOnKeptConnection, hasSmallNames, lacks, blanks } = options;
  const request: Ask = {
    ...validRequest(endpoint, body, headers),
    ...(isOnKeptConnection && { isOnKeptConnection }),
    ...(hasSmallNames && { hasSmallNames }),
    ...(lacks && { lacks }),
  };
  await rememberFirstOffer(context, budget);
  rememberOffers(context, budget, request);
  const made = await requestOffer(context, request);
  if (!made.ok) return made;
  const purpose = {
    terms,
    requirement: context.requirement,
    request: identifyAsk(request),
    asked: askedFor(context, request),
    ...(blanks && { blanks }),
  };
  const isGood = goodTerms.has(terms) && instead === undefined;
  const authorized = await authorize(context, budget, made.value, purpose, isGood);
  if (!authorized.ok) return authorized;
  const { payment, offer: taken, sentAtMs } = authorized.value;
  if (between) await context.send(between);
  return found({
    authorized: authorized.value,
    request: withPayment(instead ?? request, payment),
    authorization: payment.authorization,
    offerEndsAtMs: endOfOffer(taken, sentAtMs),
    isGood,
  });
}

/** Stores the state of a sent payment, and returns the response to judge. */
function conclude(
  context: Context,
  budget: Budget,
  { authorized: { payment, ...taken }, isGood }: Prepared,
  { last, shown }: LastResponse,
): Found<Paid> {
  budget.conclude(payment, stateAfter(last), context.nowSeconds());
  if (!last.ok) return missing(`${last.verdict.reason} (nonce ${payment.authorization.nonce})`);
  if (readError(last.value.outcome.body)?.['code'] === insufficientFunds) {
    return missing(
      `the balance of the payer ${budget.payer} is too low (request ${last.value.number}). Fund the payer`,
    );
  }
  if (!shown.ok) return shown;
  const isTurnedDown = isGood && shown.value.outcome.status !== 200;
  // An earlier offer may end when a newer one is made, so a refusal of this payment proves nothing.
  if (taken.whyNotNewest !== undefined && isTurnedDown) {
    return missing(
      `${taken.whyNotNewest}; the payment for the earlier offer of request ${taken.number} got ${describe(shown.value)}`,
    );
  }
  return found({ payment, answered: shown.value });
}

/** The offer for a request that is sent now. */
async function requestOffer(context: Context, request: Ask): Promise<Found<Made>> {
  const answered = await context.send(request);
  if (!answered.ok) return answered;
  const asked = demanding(answered.value);
  if (!asked.ok) return asked;
  const quoted = offerIn(asked.value);
  if (!quoted.ok) return quoted;
  const { sentAtMs, number } = asked.value;
  return found({ offer: quoted.value, sentAtMs, number });
}

/** A payment and its offer. */
type Authorized = Made & {
  readonly payment: Payment;
  /** If an earlier offer is paid: the reason why the newest is not. */
  readonly whyNotNewest?: string;
};

/**
 * Pays the newest offer. If the budget refuses it, pays an earlier offer for the same request that has half of
 * its time left (D-154). A payment with a deliberate fault uses an earlier offer only if the target served one
 * before: otherwise a refusal could be for the offer.
 */
async function authorize(
  context: Context,
  budget: Budget,
  newest: Made,
  { asked, ...purpose }: Purpose & { readonly asked: string },
  isGood: boolean,
): Promise<Found<Authorized>> {
  const nowSeconds = context.nowSeconds();
  const paid = await budget.authorize(newest.offer, purpose, nowSeconds);
  if (paid.ok) return found({ ...newest, payment: paid.value });
  if (!isGood && !isEarlierOfferKept(context)) return paid;
  const earlier = offersFor(context, asked).filter(({ number }) => number < newest.number);
  for (const { offer, sentAtMs, number } of earlier.toReversed()) {
    // One second less, because the clock of the run has whole seconds.
    const leftSeconds = Math.floor(endOfOffer(offer, sentAtMs) / 1000) - nowSeconds - 1;
    if (leftSeconds < 1 || leftSeconds * 2 < offer.maxTimeoutSeconds) continue;
    const lasting = { ...offer, maxTimeoutSeconds: leftSeconds };
    const again = await budget.authorize(lasting, purpose, nowSeconds);
    if (!again.ok) continue;
    const whyNotNewest = paid.verdict.kind === 'unknown' ? paid.verdict.reason : '';
    return found({ offer, sentAtMs, number, payment: again.value, whyNotNewest });
  }
  return paid;
}

/**
 * Sends a refused payment with another request, and once more after 429 with `Retry-After`. The signature is the
 * same, so the budget already counts its value.
 */
export async function sendAgain(context: Context, payment: Payment, request: Ask): Promise<Found<Answered>> {
  const { authorization } = payment;
  const offerEndsAtMs = authorization.validBefore * 1000;
  const ask = { request: withPayment(request, payment), authorization, offerEndsAtMs, isGood: false };
  const [{ last, shown } = notSent] = await sendPaid(context, [ask], []);
  context.budget?.conclude(payment, stateAfter(last), context.nowSeconds());
  return shown;
}

const nothing = missing<Answered>('the payment was not sent');
const notSent: LastResponse = { last: nothing, shown: nothing };

/** Sends a refused payment with several requests at the same time. */
export async function sendAgainTogether(
  context: Context,
  payment: Payment,
  requests: readonly Ask[],
): Promise<readonly Found<Answered>[]> {
  const responses = await context.sendTogether(requests.map((request) => withPayment(request, payment)));
  const states = responses.map(stateAfter);
  const state = (['settled', 'unknown'] as const).find((each) => states.includes(each)) ?? 'refused';
  context.budget?.conclude(payment, state, context.nowSeconds());
  return responses;
}

/** The first offer, made to an anonymous client, sets the recipient and the token of the run. */
async function rememberFirstOffer(context: Context, budget: Budget): Promise<void> {
  const first = await offer(context, 'chat');
  if (first.ok) budget.see(first.value, identifyAsk(validRequest('chat', bodyFor('chat', context.model))));
}

/** Shows the budget all offers of the run for this request. */
function rememberOffers(context: Context, budget: Budget, request: Ask): void {
  for (const { offer } of offersFor(context, askedFor(context, request)))
    budget.see(offer, identifyAsk(request));
}

/** The key of a request in the transcript. */
function askedFor({ targetUrl }: Context, { path, body, headers = {} }: Ask): string {
  return identifyRequest({ request: { url: urlAt(targetUrl, path), body: jsonText(body), headers } });
}

function identifyAsk({ path, body, headers }: Ask): string {
  return jsonText([path, body, headers]);
}

/**
 * The state of a payment after a response. Only 200 and 4xx are conclusive; otherwise the transfer may still
 * happen.
 */
function stateAfter(answered: Found<Answered>): 'settled' | 'refused' | 'unknown' {
  const status = answered.ok ? answered.value.outcome.status : 0;
  if (status === 200) return 'settled';
  return status >= 400 && status < 500 ? 'refused' : 'unknown';
}

export function withPayment(request: Ask, payment: Payment): Ask {
  return { ...request, headers: { ...request.headers, [headerNames.payment]: payment.header } };
}

/** The one paid chat completion that all checks of chat responses and receipts share. */
export function paidChat(context: Context): Promise<Found<Paid>> {
  return context.once(payForChat);
}

/** The one paid text completion that checks share. */
export function paidCompletion(context: Context): Promise<Found<Paid>> {
  return context.once(payForCompletion);
}

function payForChat(context: Context) {
  return pay(context, 'chat', chatBody(context.model));
}

function payForCompletion(context: Context) {
  return pay(context, 'completions', completionBody(context.model));
}

/** An exchange that ended with 200. */
export async function served(paid: Promise<Found<Paid>>): Promise<Found<Paid>> {
  const known = await paid;
  if (!known.ok || known.value.answered.outcome.status === 200) return known;
  return missing(`the paid request got ${describe(known.value.answered)}, not 200`);
}

/** The shared paid response of an endpoint, if it ended with 200. */
export function servedAt(context: Context, endpoint: PaidEndpoint): Promise<Found<Paid>> {
  return served(endpoint === 'chat' ? paidChat(context) : paidCompletion(context));
}

/** The JSON body of an exchange that ended with 200. */
export async function servedBody(paid: Promise<Found<Paid>>): Promise<Found<JsonObject>> {
  const known = await served(paid);
  return known.ok ? jsonBody(known.value.answered) : known;
}
