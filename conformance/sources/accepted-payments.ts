import type { Context } from '../context/context.ts';
import type { Answered } from '../wire/exchange.ts';

import { isBarePaymentRequired } from './throwaway-source.ts';
import { listResponses, readPayment } from './transcript-queries.ts';

/**
 * Whether this response to a payer without funds can be judged only at the end of the run. A bare 402 may mean
 * that the target's clock is behind, and not that the balance is too low. A payer with funds has to pay first;
 * without a funded key there is no such payment.
 */
export function isOpenUntilTheEnd({ budget }: Context, poor: Answered): boolean {
  return budget !== undefined && isBarePaymentRequired(poor);
}

/** Whether a payment by the funded key got a bare 402, and no payment of the run was served. */
export function isNoPaymentAccepted(context: Context): boolean {
  const payer = context.budget?.payer.toLowerCase();
  const funded = listResponses(context).filter(
    (past) => readPayment(past)?.authorization.from.toLowerCase() === payer,
  );
  return funded.some(isBarePaymentRequired) && !funded.some(({ outcome }) => outcome.status === 200);
}
