import { plain } from '../../conditions/requests.ts';
import { check } from '../../context/check.ts';
import type { Context } from '../../context/context.ts';
import { bodyFor, type PaidEndpoint, paidEndpointNames, validRequest } from '../../sources/bodies.ts';
import { describe } from '../../sources/judgements.ts';
import { paidChat, paidCompletion, served } from '../../sources/paid-source.ts';
import { paidByThrowaway, pricedOffer, type Spoil } from '../../sources/throwaway-source.ts';
import { given } from '../../types/found.ts';
import { broken, holds, type Judgement, notApplicable } from '../../types/verdict.ts';
import { payOtherwise } from '../signatures/order-of-signature.ts';
import { aboutTerms, isRefusedForTerms, isRefusedPlainly } from './conditions-terms.ts';
import { judgeRefusal } from './second-time.ts';

/** Amounts far above the maximum, which a string comparison could take for less (D-181). */
const tooMuch: Readonly<Record<string, (maximum: bigint) => bigint>> = {
  'ten times the maximum': (maximum) => maximum * 10n,
  'the next power of ten': (maximum) => 10n ** BigInt(maximum.toString().length),
};

/** Checks that a payment of 0 is refused if the offer asks for more (§1). */
export const nothingPaidChecks = paidEndpointNames.map((endpoint) =>
  check(
    endpoint === 'chat' ? 'funds.insufficient.402' : 'funds.insufficient.completions',
    `A payment of 0 by a payer without funds is refused (${endpoint})`,
    (context) =>
      given(pricedOffer(context, endpoint), () =>
        given(
          paidByThrowaway(context, endpoint, () => ofValue('0')),
          (answered) => judgeRefusal(context, answered),
        ),
      ),
  ),
);

/** Checks with the key without funds, so that the run costs nothing more. */
export const tooMuchChecks = paidEndpointNames.flatMap((endpoint) =>
  Object.entries(tooMuch).map(([words, amountFor]) =>
    check(
      endpoint === 'chat' ? 'payment.over-maximum.refused' : 'payment.completions.refused',
      `A payment of ${words} is refused like a payment of one unit more (${endpoint})`,
      (context) =>
        // A valid payment was served before, so the amount is the only reason for a refusal.
        given(served(endpoint === 'chat' ? paidChat(context) : paidCompletion(context)), () =>
          judgeTooMuch(context, endpoint, ({ maxAmountRequired }) =>
            ofValue(amountFor(maxAmountRequired).toString()),
          ),
        ),
    ),
  ),
);

/**
 * A gateway that names the balance has accepted the amount, unless it also does so for one unit more (D-172).
 */
function judgeTooMuch(context: Context, endpoint: PaidEndpoint, spoil: Spoil): Promise<Judgement> {
  return given(isRefusedPlainly(context, 'one-over'), (isRefused) => {
    if (!isRefused)
      return notApplicable('a payment without funds of one unit more is not refused for its amount');
    const conditions = { ...plain, model: context.model, endpoint };
    return given(paidByThrowaway(context, endpoint, spoil), (first) =>
      given(
        aboutTerms(context, conditions, 'one-over', first, {
          ask: () => context.send(validRequest(endpoint, bodyFor(endpoint, context.model))),
          payAgain: (attempt) => payOtherwise(context, endpoint, spoil, attempt),
        }),
        (shown) =>
          isRefusedForTerms(shown)
            ? holds(`refused: ${describe(shown)}`)
            : broken('a refusal for the amount', describe(shown)),
      ),
    );
  });
}

/** Signs and sends the same value. */
function ofValue(value: string): ReturnType<Spoil> {
  return {
    twist: { authorization: () => ({ value }) },
    edit: ({ authorization, signature }) => ({ authorization: { ...authorization, value }, signature }),
  };
}
