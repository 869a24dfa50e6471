import { headerNames } from '@paid-inference/contract/constants';
import type { SettlementType } from '@paid-inference/contract/types';
import { check, observation } from '../../context/check.ts';
import type { Context } from '../../context/context.ts';
import { bodyFor, chatBody, type PaidEndpoint, paidEndpoints, validRequest } from '../../sources/bodies.ts';
import { describe, hasStatus, judgeTransient } from '../../sources/judgements.ts';
import { paymentRequired, unpaid } from '../../sources/sources.ts';
import { given } from '../../types/found.ts';
import { broken, holds, type Judgement, seen, unknown } from '../../types/verdict.ts';

const settlementTypes = ['private', 'individual', 'batch'] as const satisfies readonly SettlementType[];

/** Checks of the settlement type header that need no payment (§4.1, §4.3). */
export const settlementTypeChecks = [
  check('settlement-type.optional', `${headerNames.settlementType} is optional`, async (context) => {
    const without = await unpaid(context, 'chat');
    if (!without.ok) return without.verdict;
    if (without.value.outcome.status === 402) return holds();
    // The missing header is the reason for the refusal only if the same request with the header is accepted.
    const twin = await withType(context, 'batch');
    if (!twin.ok) return twin.verdict;
    if (twin.value.outcome.status === 402) {
      return judgeTransient(without.value) ?? broken('402, like with the header', describe(without.value));
    }
    return unknown(`the request gets ${describe(twin.value)} instead of 402 even with the header`);
  }),
  ...settlementTypes.map((type) =>
    check(
      `settlement-type.${type}.accepted`,
      `${headerNames.settlementType}: ${type} is accepted`,
      (context) => judgeAccepted(context, type, 'chat'),
    ),
  ),
  ...settlementTypes.map((type) =>
    check(
      'settlement-type.completions.accepted',
      `${headerNames.settlementType}: ${type} is accepted for text completions`,
      (context) => judgeAccepted(context, type, 'completions'),
    ),
  ),
  observation('settlement-type.unknown', `Response to an unknown ${headerNames.settlementType}`, (context) =>
    given(
      context.ask({
        path: paidEndpoints.chat.path,
        body: chatBody(context.model),
        headers: { [headerNames.settlementType]: 'no-such-type' },
      }),
      (answered) => seen(describe(answered)),
    ),
  ),
];

/** The request without the header must get 402 first; otherwise a refusal has other reasons. */
async function judgeAccepted(
  context: Context,
  type: SettlementType,
  endpoint: PaidEndpoint,
): Promise<Judgement> {
  const without = await paymentRequired(context, endpoint);
  if (!without.ok) return without.verdict;
  const answered = await withType(context, type, endpoint);
  return answered.ok ? hasStatus(answered.value, 402) : answered.verdict;
}

function withType(context: Context, type: SettlementType, endpoint: PaidEndpoint = 'chat') {
  const headers = { [headerNames.settlementType]: type };
  return context.ask(validRequest(endpoint, bodyFor(endpoint, context.model), headers));
}
