import { headerNames } from '@paid-inference/contract/constants';
import type { InsufficientFundsBody } from '@paid-inference/contract/types';
import type { Ask, Context } from '../engine/context.ts';
import { andThen, type Found, found, missing } from '../engine/found.ts';
import { readOffer } from '../payment/offer.ts';
import type { Payment } from '../payment/sign.ts';
import type { Terms } from '../payment/terms.ts';
import type { JsonObject } from '../wire/base64-json.ts';
import type { Answered } from '../wire/session.ts';
import { chatBody, completionBody, type PaidEndpoint, validRequest } from './bodies.ts';
import { describe, errorOf, jsonBody } from './judgements.ts';
import { demanding, requirementsOf } from './sources.ts';

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
 * always a fresh one; nothing is signed twice. A payer without funds is our fault, not the target's: then nothing is
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
  const asked = andThen(context.send(request), demanding);
  const offered = andThen(andThen(asked, requirementsOf), readOffer);
  return andThen(offered, (offer) =>
    andThen(budget.authorize(offer, terms, context.nowSeconds()), (payment) =>
      andThen(context.send(withPayment(instead ?? request, payment)), (answered): Found<Paid> => {
        if (answered.outcome.status === 200) budget.settled(payment);
        return errorOf(answered.outcome.body)?.['code'] === insufficientFunds
          ? missing(`the payer ${budget.payer} owns too little: request ${answered.number}`)
          : found({ payment, answered });
      }),
    ),
  );
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
