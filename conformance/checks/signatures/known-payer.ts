import { check } from '../../context/check.ts';
import type { Context } from '../../context/context.ts';
import { type PaidEndpoint, paidEndpointNames } from '../../sources/bodies.ts';
import { hasStatus } from '../../sources/judgements.ts';
import { paidChat, paidCompletion, served } from '../../sources/paid-source.ts';
import { freshOffer, isAboutFunds, paidByThrowaway } from '../../sources/throwaway-source.ts';
import { andThen, type Found, given } from '../../types/found.ts';
import { unknown } from '../../types/verdict.ts';
import type { Answered } from '../../wire/exchange.ts';

/** Who was served once is known, and every payment in that name must be signed by it all the same (contract 3, 5). */
export const knownPayerChecks = checksOf('who has been served before');

/** The same once everything is paid: trust may begin with the second answer that was served, or with the fifth. */
export const wellKnownPayerChecks = checksOf('who has been served all along');

function checksOf(who: string) {
  return paidEndpointNames.map((endpoint) =>
    check(
      'signature.known-payer',
      `A signature by another than \`from\`, ${who}, is answered 401 (${endpoint})`,
      (context) =>
        given(inTheNameOfServed(context, endpoint), (answered) =>
          isAboutFunds(answered)
            ? unknown('the balance is looked at first, and is too low by now')
            : hasStatus(answered, 401),
        ),
    ),
  );
}

/**
 * The throw-away key signs for the payer whose own payment for the same request was served: all that is wrong is the
 * signature. It costs nobody anything, since the token takes none but the payer's. The offer is new, as that for the payer's
 * own may be used up.
 */
function inTheNameOfServed(context: Context, endpoint: PaidEndpoint): Promise<Found<Answered>> {
  const own = endpoint === 'chat' ? paidChat(context) : paidCompletion(context);
  return andThen(served(own), ({ payment }) =>
    paidByThrowaway(context, endpoint, () => ({ from: payment.authorization.from }), freshOffer),
  );
}
