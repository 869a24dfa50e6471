import { check } from '../../context/check.ts';
import type { Context } from '../../context/context.ts';
import { type PaidEndpoint, paidEndpointNames } from '../../sources/bodies.ts';
import { hasStatus } from '../../sources/judgements.ts';
import { servedAt } from '../../sources/paid-source.ts';
import { freshOffer, isAboutFunds, paidByThrowaway } from '../../sources/throwaway-source.ts';
import type { Found } from '../../types/found.ts';
import { unknown } from '../../types/verdict.ts';
import type { Answered } from '../../wire/exchange.ts';

/** Checks that a payer who was served before still has to sign each payment (§3, §5). */
export const knownPayerChecks = createChecks('after a served payment of that payer');

/** The same after all payments, because a gateway may trust a payer only after several served payments. */
export const wellKnownPayerChecks = createChecks('after all served payments of that payer');

function createChecks(who: string) {
  return paidEndpointNames.map((endpoint) =>
    check(
      'signature.known-payer',
      `A signature by another key than that of \`from\`, ${who}, gets 401 (${endpoint})`,
      async (context) => {
        const answered = await inTheNameOfServed(context, endpoint);
        if (!answered.ok) return answered.verdict;
        if (!isAboutFunds(answered.value)) return hasStatus(answered.value, 401);
        return unknown('the deployment checks the balance first, and the balance is now too low');
      },
    ),
  );
}

/**
 * Sends a payment in the name of a payer who was served, signed by the throw-away key, so that only the
 * signature is wrong. It costs nothing, because the token rejects the signature. The offer is new, because the
 * earlier one may be used up.
 */
async function inTheNameOfServed(context: Context, endpoint: PaidEndpoint): Promise<Found<Answered>> {
  const paid = await servedAt(context, endpoint);
  if (!paid.ok) return paid;
  const { from } = paid.value.payment.authorization;
  return paidByThrowaway(context, endpoint, () => ({ from }), freshOffer);
}
