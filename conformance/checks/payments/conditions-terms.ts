import type { Conditions } from '../../conditions/requests.ts';
import type { Context } from '../../context/context.ts';
import type { Terms } from '../../payment/terms.ts';
import { type PaidEndpoint, paidEndpointNames } from '../../sources/bodies.ts';
import { passing } from '../../sources/judgements.ts';
import { aboutOwn, type Order, orderIn } from '../../sources/order-of-checks.ts';
import { isAboutFunds, paidByThrowaway, unfunded } from '../../sources/throwaway-source.ts';
import { highestAmountFor, paymentOf } from '../../sources/transcript-queries.ts';
import { andThen, type Found, found, inapplicable } from '../../types/found.ts';
import type { Answered } from '../../wire/exchange.ts';
import { payOtherwise } from '../signatures/order-of-signature.ts';

/** Terms that break one rule of 2.9 each, and what such a payment is called. */
export const wrongTerms = {
  'to-self': 'a payment to another than `payTo`',
  'one-over': 'a payment of more than the maximum',
  'not-yet-valid': 'a payment that is not valid yet',
  expired: 'a payment that has expired',
} as const satisfies Partial<Record<Terms, string>>;
export type WrongTerms = keyof typeof wrongTerms;

/** Payments of a kind that are sent to learn the order of two checks. */
const controlsMax = 12;

/** Refused, and for another reason than the balance: nothing else is said of the payer, who owns nothing. */
export function isRefusedForTerms(answered: Answered): boolean {
  const { status } = answered.outcome;
  return status >= 400 && status < 500 && !passing(answered) && !isAboutFunds(answered);
}

/**
 * Whether both endpoints refuse such a payment for its terms where nothing is unusual, and a payment with nothing wrong for the
 * balance. A gateway that looks at the balance first shows nothing of terms.
 */
export async function isRefusedPlainly(context: Context, terms: WrongTerms): Promise<Found<boolean>> {
  for (const endpoint of paidEndpointNames) {
    const poor = await unfunded(context, endpoint);
    if (!poor.ok) return poor;
    const plain = await context.once(perTerms[terms][endpoint].plain);
    if (!plain.ok) return plain;
    if (!isAboutFunds(poor.value) || !isRefusedForTerms(plain.value)) return found(false);
  }
  return found(true);
}

/**
 * The answer to such a payment under conditions, unless it is about the balance for a lawful reason: the window has begun, the price
 * has risen, or the order of the checks changes (D-152). `ask` sends the request without a payment, `payAgain` with another one.
 */
export async function aboutTerms(
  context: Context,
  { endpoint, company }: Conditions,
  terms: WrongTerms,
  first: Answered,
  { ask, payAgain }: { ask: () => Promise<unknown>; payAgain: (attempt: number) => Promise<Found<Answered>> },
): Promise<Found<Answered>> {
  const authorization = paymentOf(first)?.authorization;
  if (isRefusedForTerms(first) || !authorization) return found(first);
  if (terms === 'not-yet-valid' && authorization.validAfter * 1000 <= first.endedAtMs) {
    return inapplicable('the payment had become valid when it was answered');
  }
  if (terms === 'one-over') {
    await ask();
    if (highestAmountFor(context, first) >= BigInt(authorization.value))
      return inapplicable('the price rises');
  }
  if (!isAboutFunds(first)) return found(first);
  return andThen(context.once(perTerms[terms][endpoint].order), async (order) => {
    if (order === 'other')
      return inapplicable<Answered>('the order of checks has changed, and the balance is looked at first');
    // Asked again it is alone, without the company that may have been why.
    if (order === 'own' && company === 'together') return found(first);
    const own = await aboutOwn(context, { kind: 'signature', order, isOther: isAboutFunds }, first, payAgain);
    // A gateway that looks at the balance first in some requests shows nothing of terms in these.
    return own.ok || order === 'own' ? own : inapplicable<Answered>('the order of checks changes');
  });
}

type Asking = {
  readonly plain: (context: Context) => Promise<Found<Answered>>;
  readonly order: (context: Context) => Promise<Found<Order>>;
};

const perTerms: Readonly<Record<WrongTerms, Readonly<Record<PaidEndpoint, Asking>>>> = {
  'to-self': onEach('to-self'),
  'one-over': onEach('one-over'),
  'not-yet-valid': onEach('not-yet-valid'),
  expired: onEach('expired'),
};

function onEach(terms: WrongTerms): Readonly<Record<PaidEndpoint, Asking>> {
  const on = (endpoint: PaidEndpoint): Asking => ({
    plain: (context) => paidByThrowaway(context, endpoint, () => ({ terms })),
    order: (context) => orderOfTerms(context, endpoint, terms),
  });
  return { chat: on('chat'), completions: on('completions') };
}

async function orderOfTerms(
  context: Context,
  endpoint: PaidEndpoint,
  terms: WrongTerms,
): Promise<Found<Order>> {
  let [own, other] = [0, 0];
  for (let control = 0; control < controlsMax; control += 1) {
    const answered = await payOtherwise(context, endpoint, () => ({ terms }), control);
    if (!answered.ok) return answered;
    const passed = passing(answered.value);
    if (passed) return { ok: false, verdict: passed };
    if (isAboutFunds(answered.value)) other += 1;
    else own += 1;
    if (orderIn(own, other) === 'changes') return found('changes');
  }
  return found(orderIn(own, other));
}
