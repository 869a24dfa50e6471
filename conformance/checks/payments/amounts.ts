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

/** Far more than the maximum, in digits that a comparison of texts takes for more or for less (D-181). */
const tooMuch: Readonly<Record<string, (maximum: bigint) => bigint>> = {
  'ten times the maximum': (maximum) => maximum * 10n,
  'the next power of ten': (maximum) => 10n ** BigInt(maximum.toString().length),
};

/** Where something is asked for, nothing is no payment (contract 1). */
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

/** The key that owns nothing shows it, so that no run can cost more for it. */
export const tooMuchChecks = paidEndpointNames.flatMap((endpoint) =>
  Object.entries(tooMuch).map(([words, amountFor]) =>
    check(
      endpoint === 'chat' ? 'payment.over-maximum.refused' : 'payment.completions.refused',
      `A payment of ${words} is refused as one of a unit more is (${endpoint})`,
      (context) =>
        // Beside a good payment that was served, so that a refusal lies with the amount.
        given(served(endpoint === 'chat' ? paidChat(context) : paidCompletion(context)), () =>
          judgeTooMuch(context, endpoint, ({ maxAmountRequired }) =>
            ofValue(amountFor(maxAmountRequired).toString()),
          ),
        ),
    ),
  ),
);

/** A gateway that names the balance has looked past the amount, unless it does so for a unit more too (D-172). */
function judgeTooMuch(context: Context, endpoint: PaidEndpoint, spoil: Spoil): Promise<Judgement> {
  return given(isRefusedPlainly(context, 'one-over'), (isRefused) => {
    if (!isRefused)
      return notApplicable('a payment of a unit more without funds is not refused for its amount');
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

/** Signed as it is sent. */
function ofValue(value: string): ReturnType<Spoil> {
  return {
    twist: { authorization: () => ({ value }) },
    edit: ({ authorization, signature }) => ({ authorization: { ...authorization, value }, signature }),
  };
}
