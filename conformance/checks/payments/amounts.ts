import { plain } from '../../conditions/requests.ts';
import { check } from '../../context/check.ts';
import type { Context } from '../../context/context.ts';
import { uint256Max } from '../../payment/offer.ts';
import type { Authorization } from '../../payment/sign.ts';
import { bodyFor, type PaidEndpoint, paidEndpointNames, validRequest } from '../../sources/bodies.ts';
import { describe, judgeTransient } from '../../sources/judgements.ts';
import { servedAt } from '../../sources/paid-source.ts';
import { offer } from '../../sources/sources.ts';
import { paidByThrowaway, pricedOffer, type Spoil } from '../../sources/throwaway-source.ts';
import { broken, holds, type Judgement, notApplicable } from '../../types/verdict.ts';
import { payOtherwise } from '../signatures/order-of-signature.ts';
import {
  aboutTerms,
  isRefusedForTerms,
  isRefusedPlainly,
  type WrongTerms,
  wrongTerms,
} from './conditions-terms.ts';
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
      const answered = await paidByThrowaway(context, endpoint, () => signing({ value: '0' }));
      return answered.ok ? judgeRefusal(context, answered.value) : answered.verdict;
    },
  ),
);

/** Recipients that share all bytes but one with `payTo`, by the words for them (D-250). */
const nearRecipients: Readonly<Record<string, (payTo: string) => string>> = {
  'the first 19 bytes': (payTo) => payTo.slice(0, -2) + invertByte(payTo.slice(-2)),
  'the last 19 bytes': (payTo) => `0x${invertByte(payTo.slice(2, 4))}${payTo.slice(4)}`,
};

/** Checks with the key without funds, so that the run costs nothing more. */
export const tooMuchChecks = paidEndpointNames.flatMap((endpoint) =>
  Object.entries(tooMuch).map(([words, amountFor]) =>
    check(
      endpoint === 'chat' ? 'payment.over-maximum.refused' : 'payment.completions.refused',
      `A payment of ${words} is refused like a payment of one unit more (${endpoint})`,
      async (context) => {
        const made = await offer(context, endpoint);
        if (made.ok && amountFor(made.value.maxAmountRequired) > uint256Max)
          return notApplicable(`${words} exceeds a uint256`);
        return judgeAsTerms(context, endpoint, 'one-over', ({ maxAmountRequired }) =>
          signing({ value: amountFor(maxAmountRequired).toString() }),
        );
      },
    ),
  ),
);

/** The same for recipients that an incomplete comparison takes for `payTo`. */
export const nearRecipientChecks = paidEndpointNames.flatMap((endpoint) =>
  Object.entries(nearRecipients).map(([words, recipientFor]) =>
    check(
      endpoint === 'chat' ? 'payment.other-recipient.refused' : 'payment.completions.refused',
      `A payment to ${words} of \`payTo\` is refused like a payment to the payer (${endpoint})`,
      (context) =>
        judgeAsTerms(context, endpoint, 'to-self', ({ payTo }) =>
          signing({ to: recipientFor(payTo.toLowerCase()) }),
        ),
    ),
  ),
);

/**
 * Judges a payment whose terms break the same rule as a payment with these terms. A gateway that names the
 * balance has accepted the terms, unless it also does so for the other payment (D-172).
 */
export async function judgeAsTerms(
  context: Context,
  endpoint: PaidEndpoint,
  terms: WrongTerms,
  spoil: Spoil,
): Promise<Judgement> {
  // A valid payment was served before, so the terms are the only reason for a refusal.
  const paid = await servedAt(context, endpoint);
  if (!paid.ok) return paid.verdict;
  const isRefused = await isRefusedPlainly(context, terms);
  if (!isRefused.ok) return isRefused.verdict;
  if (!isRefused.value)
    return notApplicable(`${wrongTerms[terms]} without funds is not refused for its terms`);
  const first = await paidByThrowaway(context, endpoint, spoil);
  if (!first.ok) return first.verdict;
  const conditions = { ...plain, model: context.model, endpoint };
  const shown = await aboutTerms(context, conditions, terms, first.value, {
    ask: () => context.send(validRequest(endpoint, bodyFor(endpoint, context.model))),
    payAgain: (attempt) => payOtherwise(context, endpoint, spoil, attempt),
  });
  if (!shown.ok) return shown.verdict;
  if (isRefusedForTerms(shown.value)) return holds(`refused: ${describe(shown.value)}`);
  return judgeTransient(shown.value) ?? broken('a refusal for the terms', describe(shown.value));
}

/** Signs and sends the same changed values. */
export function signing(changed: Partial<Authorization>): ReturnType<Spoil> {
  return {
    twist: { authorization: () => changed },
    edit: ({ authorization, signature }) => ({
      authorization: { ...authorization, ...changed },
      signature,
    }),
  };
}

function invertByte(hex: string): string {
  return (Number.parseInt(hex, 16) ^ 0xff).toString(16).padStart(2, '0');
}
