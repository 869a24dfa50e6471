import type { Context } from '../context/context.ts';
import type { Answered } from '../wire/exchange.ts';

import { isBarePaymentRequired } from './throwaway-source.ts';
import { answersOf, paymentOf } from './transcript-queries.ts';

/**
 * Whether this answer to a payer without funds says nothing until a payer with funds has paid: it is asked to pay as if nothing
 * had come. A clock that is behind may be the reason, and not the balance. In the end all answers to such payers are judged;
 * without a funded key there will be nothing to compare with.
 */
export function isOpenUntilTheEnd({ budget }: Context, poor: Answered): boolean {
  return budget !== undefined && isBarePaymentRequired(poor);
}

/** Whether a payment by the funded key was answered as if none had come, and none of the run was served. */
export function isNoPaymentAccepted(context: Context): boolean {
  const payer = context.budget?.payer.toLowerCase();
  const funded = answersOf(context).filter(
    (past) => paymentOf(past)?.authorization.from.toLowerCase() === payer,
  );
  return funded.some(isBarePaymentRequired) && !funded.some(({ outcome }) => outcome.status === 200);
}
