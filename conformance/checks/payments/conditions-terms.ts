import type { Conditions } from '../../conditions/requests.ts';
import type { Context } from '../../context/context.ts';
import type { Terms } from '../../payment/terms.ts';
import { type PaidEndpoint, paidEndpointNames } from '../../sources/bodies.ts';
import { judgeTransient } from '../../sources/judgements.ts';
import { aboutOwn, type Order, orderIn } from '../../sources/order-of-checks.ts';
import { isAboutFunds, paidByThrowaway, unfunded } from '../../sources/throwaway-source.ts';
import { highestAmountFor, readPayment } from '../../sources/transcript-queries.ts';
import { type Found, found, inapplicable } from '../../types/found.ts';
import type { Answered } from '../../wire/exchange.ts';
import { payOtherwise } from '../signatures/order-of-signature.ts';

/** Terms that each break one rule of §2.9, with a description. */
export const wrongTerms = {
  'to-self': 'a payment to another recipient than `payTo`',
  'one-over': 'a payment of more than the maximum',
  'not-yet-valid': 'a payment that is not yet valid',
  expired: 'an expired payment',
} as const satisfies Partial<Record<Terms, string>>;
export type WrongTerms = keyof typeof wrongTerms;

/** Payments that find out the order of two checks. */
const controlsMax = 12;

/**
 * Whether a payment was refused for another reason than the balance. The payer without funds has no other
 * fault.
 */
export function isRefusedForTerms(answered: Answered): boolean {
  const { status } = answered.outcome;
  return status >= 400 && status < 500 && !judgeTransient(answered) && !isAboutFunds(answered);
}

/**
 * Whether both endpoints refuse such a payment for its terms in a usual request, and a correct payment for the
 * balance. A gateway that checks the balance first shows nothing about terms.
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
 * The response to a payment with wrong terms, unless it names the balance for a valid reason: the window has
 * begun, the price has risen, or the order of checks changes (D-152). `ask` sends the request without a
 * payment, `payAgain` with another payment.
 */
export async function aboutTerms(
  context: Context,
  { endpoint, company }: Conditions,
  terms: WrongTerms,
  first: Answered,
  { ask, payAgain }: { ask: () => Promise<unknown>; payAgain: (attempt: number) => Promise<Found<Answered>> },
): Promise<Found<Answered>> {
  const authorization = readPayment(first)?.authorization;
  if (isRefusedForTerms(first) || !authorization) return found(first);
  if (terms === 'not-yet-valid' && authorization.validAfter * 1000 <= first.endedAtMs) {
    return inapplicable('the payment became valid before the response');
  }
  if (terms === 'one-over') {
    await ask();
    if (highestAmountFor(context, first) >= BigInt(authorization.value))
      return inapplicable('the price rises');
  }
  if (!isAboutFunds(first)) return found(first);
  const known = await context.once(perTerms[terms][endpoint].order);
  if (!known.ok) return known;
  const order = known.value;
  if (order === 'other') {
    return inapplicable(
      'the deployment has changed the order of its checks and now checks the balance first',
    );
  }
  // A retry is sent alone and lacks the concurrent requests, which may be the cause.
  if (order === 'own' && company === 'together') return found(first);
  const own = await aboutOwn(context, { kind: 'signature', order, isOther: isAboutFunds }, first, payAgain);
  // A gateway that sometimes checks the balance first shows nothing about terms in those requests.
  if (!own.ok && order !== 'own') return inapplicable('the deployment changes the order of its checks');
  return own;
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
    const passed = judgeTransient(answered.value);
    if (passed) return { ok: false, verdict: passed };
    if (isAboutFunds(answered.value)) other += 1;
    else own += 1;
    if (orderIn(own, other) === 'changes') return found('changes');
  }
  return found(orderIn(own, other));
}
