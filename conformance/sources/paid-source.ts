import { headerNames } from '@paid-inference/contract/constants';
import type { InsufficientFundsBody } from '@paid-inference/contract/types';
import { type Ask, type Context, urlAt } from '../context/context.ts';
import type { Budget, Purpose } from '../payment/budget.ts';
import type { Payment } from '../payment/sign.ts';
import type { Terms } from '../payment/terms.ts';
import { andThen, type Found, found, missing } from '../types/found.ts';
import type { JsonObject } from '../wire/base64-json.ts';
import type { Answered } from '../wire/exchange.ts';
import { jsonText } from '../wire/json-text.ts';

import { bodyFor, chatBody, completionBody, type PaidEndpoint, validRequest } from './bodies.ts';
import { describe, errorOf, jsonBody } from './judgements.ts';
import { sendPaid } from './paying-again.ts';
import { demanding, offer, offerIn } from './sources.ts';
import { endOfOffer, isEarlierOfferKept, type Made, offersFor, requestOf } from './transcript-queries.ts';

export type Paid = { readonly payment: Payment; readonly answered: Answered };

export type PayOptions = {
  readonly terms?: Terms;
  readonly headers?: Readonly<Record<string, string>>;
  /** Both requests are sent on the connection that the run keeps open. */
  readonly isOnKeptConnection?: true;
  /** The names of the headers of both are sent in small letters. */
  readonly hasSmallNames?: true;
  /** Requests that are under way beside the one that is paid. */
  readonly beside?: readonly Ask[];
  /** Sent with the payment instead of the request that the offer was for. */
  readonly instead?: Ask;
};

// The compiler holds this to the contract's types.
const insufficientFunds = 'insufficient_funds' as const satisfies InsufficientFundsBody['error']['code'];

/**
 * The whole exchange of contract 4.4: ask, read the offer, have it signed within the budget, ask again. The offer is
 * a fresh one wherever the budget allows it; nothing is signed twice, and what is sent twice is the same signature. A payer without funds is our fault, not the target's: then nothing is
 * known.
 */
export async function pay(
  context: Context,
  endpoint: PaidEndpoint,
  body: unknown,
  { terms = 'exact', headers, instead, isOnKeptConnection, hasSmallNames, beside = [] }: PayOptions = {},
): Promise<Found<Paid>> {
  const { budget } = context;
  if (!budget) return missing('there is no funded key');
  const request: Ask = {
    ...validRequest(endpoint, body, headers),
    ...(isOnKeptConnection && { isOnKeptConnection }),
    ...(hasSmallNames && { hasSmallNames }),
  };
  await rememberFirstOffer(context, budget);
  rememberOffers(context, budget, request);
  return andThen(andThen(context.send(request), demanding), (asked) =>
    andThen(Promise.resolve(offerIn(asked)), (quoted) => {
      const purpose = {
        terms,
        requirement: context.requirement,
        request: identityOf(request),
        asked: askedFor(context, request),
      };
      const isGood = terms === 'exact' && instead === undefined;
      const made = { offer: quoted, sentAtMs: asked.sentAtMs, number: asked.number };
      return andThen(authorize(context, budget, made, purpose, isGood), async ({ payment, ...taken }) => {
        const { last, shown } = await sendPaid(context, {
          request: withPayment(instead ?? request, payment),
          authorization: payment.authorization,
          offerEndsAtMs: endOfOffer(taken.offer, taken.sentAtMs),
          isGood,
          beside,
        });
        budget.conclude(payment, stateAfter(last), context.nowSeconds());
        if (!last.ok) return missing(`${last.verdict.reason} (nonce ${payment.authorization.nonce})`);
        if (errorOf(last.value.outcome.body)?.['code'] === insufficientFunds) {
          return missing<Paid>(`the payer ${budget.payer} owns too little: request ${last.value.number}`);
        }
        if (!shown.ok) return shown;
        const isTurnedDown = isGood && shown.value.outcome.status !== 200;
        // Nothing but its validity says that an offer still stands beside a newer one.
        if (taken.whyNotNewest !== undefined && isTurnedDown) {
          return missing<Paid>(
            `${taken.whyNotNewest}; a payment for the earlier offer of request ${taken.number} was answered ${describe(shown.value)}`,
          );
        }
        return found({ payment, answered: shown.value });
      });
    }),
  );
}

/** A payment, and the offer that it is for. */
type Authorized = Made & {
  readonly payment: Payment;
  /** Where an earlier offer is paid: why the newest is not. */
  readonly whyNotNewest?: string;
};

/**
 * Pays the newest offer. Where the budget refuses that one, an earlier offer for the same request is paid that has half of its time
 * left (D-154), for no longer than it lasts. A payment that is wrong on purpose is for an earlier offer only where such a one was
 * served: else it is refused for its offer.
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
    // A second less: the clock of the run is read in whole seconds.
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
 * Sends a payment that was refused with another request. It is the same signature: whatever becomes of it now, no more than
 * what was counted for it can move.
 */
export async function sendAgain(context: Context, payment: Payment, request: Ask): Promise<Found<Answered>> {
  const answered = await context.send(withPayment(request, payment));
  context.budget?.conclude(payment, stateAfter(answered), context.nowSeconds());
  return answered;
}

/** Whoever is paid, and in what, was said by the first offer of the run, which was made to somebody without a key. */
async function rememberFirstOffer(context: Context, budget: Budget): Promise<void> {
  const first = await offer(context, 'chat');
  if (first.ok) budget.see(first.value, identityOf(validRequest('chat', bodyFor('chat', context.model))));
}

/** All offers of the run for this very request, whoever asked for them. */
function rememberOffers(context: Context, budget: Budget, request: Ask): void {
  for (const { offer } of offersFor(context, askedFor(context, request)))
    budget.see(offer, identityOf(request));
}

/** A request as the transcript knows it. */
function askedFor({ targetUrl }: Context, { path, body, headers = {} }: Ask): string {
  return requestOf({ request: { url: urlAt(targetUrl, path), body: jsonText(body), headers } });
}

function identityOf({ path, body, headers }: Ask): string {
  return jsonText([path, body, headers]);
}

/** What an answer leaves of a payment. Only 200 and 4xx say anything: behind all else the money may still move. */
function stateAfter(answered: Found<Answered>): 'settled' | 'refused' | 'unknown' {
  const status = answered.ok ? answered.value.outcome.status : 0;
  if (status === 200) return 'settled';
  return status >= 400 && status < 500 ? 'refused' : 'unknown';
}

export function withPayment(request: Ask, payment: Payment): Ask {
  return { ...request, headers: { ...request.headers, [headerNames.payment]: payment.header } };
}

/** The one paid chat answer that all checks of chat answers and receipts share. */
export function paidChat(context: Context): Promise<Found<Paid>> {
  return context.once(payForChat);
}

/** The one paid text answer. */
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
export function served(paid: Promise<Found<Paid>>): Promise<Found<Paid>> {
  return andThen(paid, (value) =>
    value.answered.outcome.status === 200
      ? found(value)
      : missing(`the paid request was answered ${describe(value.answered)}, not 200`),
  );
}

/** The JSON body of an exchange that ended with 200. */
export function servedBody(paid: Promise<Found<Paid>>): Promise<Found<JsonObject>> {
  return andThen(served(paid), ({ answered }) => jsonBody(answered));
}
