import { headerNames } from '@paid-inference/contract/constants';
import type { SettlementType } from '@paid-inference/contract/types';
import { check, observation } from '../../context/check.ts';
import type { Context } from '../../context/context.ts';
import { bodyFor, chatBody, type PaidEndpoint, paidEndpoints, validRequest } from '../../sources/bodies.ts';
import { describe, hasStatus } from '../../sources/judgements.ts';
import { paymentRequired, unpaid } from '../../sources/sources.ts';
import { given } from '../../types/found.ts';
import { broken, holds, type Judgement, seen, unknown } from '../../types/verdict.ts';

const settlementTypes = ['private', 'individual', 'batch'] as const satisfies readonly SettlementType[];

/** The settlement mode header (contract 4.1, 4.3), as far as it shows without payment. */
export const settlementTypeChecks = [
  check('settlement-type.optional', `${headerNames.settlementType} may be left out`, async (context) => {
    const without = await unpaid(context, 'chat');
    if (!without.ok) return without.verdict;
    if (without.value.outcome.status === 402) return holds();
    // Only beside an accepted twin does the refusal lie with the missing header.
    return given(withType(context, 'batch'), (twin) =>
      twin.outcome.status === 402
        ? broken('402, as with the header', describe(without.value))
        : unknown(`with and without the header the request is not answered 402 but ${describe(twin)}`),
    );
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
  observation('settlement-type.unknown', `What an unknown ${headerNames.settlementType} brings`, (context) =>
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

/** Answered as the same request without the header is: else a refusal has other reasons. */
function judgeAccepted(context: Context, type: SettlementType, endpoint: PaidEndpoint): Promise<Judgement> {
  return given(paymentRequired(context, endpoint), () =>
    given(withType(context, type, endpoint), (answered) => hasStatus(answered, 402)),
  );
}

function withType(context: Context, type: SettlementType, endpoint: PaidEndpoint = 'chat') {
  const headers = { [headerNames.settlementType]: type };
  return context.ask(validRequest(endpoint, bodyFor(endpoint, context.model), headers));
}
