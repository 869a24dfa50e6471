import { plain } from '../../conditions/requests.ts';
import { check } from '../../context/check.ts';
import type { Context } from '../../context/context.ts';
import { bodyFor, type PaidEndpoint, paidEndpointNames, validRequest } from '../../sources/bodies.ts';
import { describe } from '../../sources/judgements.ts';
import { servedAt } from '../../sources/paid-source.ts';
import { paidByThrowaway, pricedOffer, type Spoil } from '../../sources/throwaway-source.ts';
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
    async (context) => {
      const priced = await pricedOffer(context, endpoint);
      if (!priced.ok) return priced.verdict;
      const answered = await paidByThrowaway(context, endpoint, () => ofValue('0'));
      return answered.ok ? judgeRefusal(context, answered.value) : answered.verdict;
    },
  ),
);

/** Checks with the key without funds, so that the run costs nothing more. */
export const tooMuchChecks = paidEndpointNames.flatMap((endpoint) =>
  Object.entries(tooMuch).map(([words, amountFor]) =>
    check(
      endpoint === 'chat' ? 'payment.over-maximum.refused' : 'payment.completions.refused',
      `A payment of ${words} is refused like a payment of one unit more (${endpoint})`,
      async (context) => {
        // A valid payment was served before, so the amount is the only reason for a refusal.
        const paid = await servedAt(context, endpoint);
        if (!paid.ok) return paid.verdict;
        return judgeTooMuch(context, endpoint, ({ maxAmountRequired }) =>
          ofValue(amountFor(maxAmountRequired).toString()),
        );
      },
    ),
  ),
);

/**
 * A gateway that names the balance has accepted the amount, unless it also does so for one unit more (D-172).
 */
async function judgeTooMuch(context: Context, endpoint: PaidEndpoint, spoil: Spoil): Promise<Judgement> {
  const isRefused = await isRefusedPlainly(context, 'one-over');
  if (!isRefused.ok) return isRefused.verdict;
  if (!isRefused.value)
    return notApplicable('a payment without funds of one unit more is not refused for its amount');
  const first = await paidByThrowaway(context, endpoint, spoil);
  if (!first.ok) return first.verdict;
  const conditions = { ...plain, model: context.model, endpoint };
  const shown = await aboutTerms(context, conditions, 'one-over', first.value, {
    ask: () => context.send(validRequest(endpoint, bodyFor(endpoint, context.model))),
    payAgain: (attempt) => payOtherwise(context, endpoint, spoil, attempt),
  });
  if (!shown.ok) return shown.verdict;
  if (isRefusedForTerms(shown.value)) return holds(`refused: ${describe(shown.value)}`);
  return broken('a refusal for the amount', describe(shown.value));
}

/** Signs and sends the same value. */
function ofValue(value: string): ReturnType<Spoil> {
  return {
    twist: { authorization: () => ({ value }) },
    edit: ({ authorization, signature }) => ({ authorization: { ...authorization, value }, signature }),
  };
}
