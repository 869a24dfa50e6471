import { headerNames } from '@paid-inference/contract/constants';
import type { InsufficientFundsBody } from '@paid-inference/contract/types';
import { type Ask, type Context, urlAt } from '../engine/context.ts';
import { andThen, type Found, found, missing } from '../engine/found.ts';
import type { Budget } from '../payment/budget.ts';
import { readOffer } from '../payment/offer.ts';
import type { Payment } from '../payment/sign.ts';
import type { Terms } from '../payment/terms.ts';
import type { JsonObject } from '../wire/base64-json.ts';
import { jsonText } from '../wire/json-text.ts';
import type { Answered } from '../wire/session.ts';
import { bodyFor, chatBody, completionBody, type PaidEndpoint, validRequest } from './bodies.ts';
import { describe, errorOf, jsonBody } from './judgements.ts';
import { endOfOffer, requestOf } from './looking-back.ts';
import { sendPaid } from './paying-again.ts';
import { demanding, offer, offerIn, requirementsOf } from './sources.ts';

export type Paid = { readonly payment: Payment; readonly answered: Answered };

export type PayOptions = {
  readonly terms?: Terms;
  readonly headers?: Readonly<Record<string, string>>;
  /** Sent with the payment instead of the request that the offer was for. */
  readonly instead?: Ask;
};

// The compiler holds this to the contract's types.
const insufficientFunds = 'insufficient_funds' as const satisfies InsufficientFundsBody['error']['code'];

/**
 * The whole exchange of contract 4.4: ask, read the offer, have it signed within the budget, ask again. The offer is
 * always a fresh one; nothing is signed twice, and what is sent twice is the same signature. A payer without funds is our fault, not the target's: then nothing is
 * known.
 */
export async function pay(
  context: Context,
  endpoint: PaidEndpoint,
  body: unknown,
  { terms = 'exact', headers, instead }: PayOptions = {},
): Promise<Found<Paid>> {
  const { budget } = context;
  if (!budget) return missing('there is no funded key');
  const request = validRequest(endpoint, body, headers);
  await rememberFirstOffer(context, budget);
  rememberOffers(context, budget, request);
  return andThen(andThen(context.send(request), demanding), (asked) =>
    andThen(Promise.resolve(offerIn(asked)), (quoted) => {
      const purpose = { terms, requirement: context.requirement, request: identityOf(request) };
      return andThen(budget.authorize(quoted, purpose, context.nowSeconds()), async (payment) => {
        const { last, shown } = await sendPaid(context, {
          request: withPayment(instead ?? request, payment),
          authorization: payment.authorization,
          offerEndsAtMs: endOfOffer(quoted, asked.sentAtMs),
          isGood: terms === 'exact' && instead === undefined,
        });
        budget.conclude(payment, stateAfter(last), context.nowSeconds());
        if (!last.ok) return missing(`${last.verdict.reason} (nonce ${payment.authorization.nonce})`);
        if (errorOf(last.value.outcome.body)?.['code'] === insufficientFunds) {
          return missing<Paid>(`the payer ${budget.payer} owns too little: request ${last.value.number}`);
        }
        return shown.ok ? found({ payment, answered: shown.value }) : shown;
      });
    }),
  );
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
  const { path, body, headers = {} } = request;
  const asked = requestOf({
    request: { url: urlAt(context.targetUrl, path), body: jsonText(body), headers },
  });
  for (const { outcome, ...exchange } of context.transcript()) {
    if (requestOf(exchange) !== asked || outcome.kind !== 'answer' || outcome.status !== 402) continue;
    const decoded = requirementsOf({ ...exchange, outcome });
    const offered = decoded.ok ? readOffer(decoded.value) : decoded;
    if (offered.ok) budget.see(offered.value, identityOf(request));
  }
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
