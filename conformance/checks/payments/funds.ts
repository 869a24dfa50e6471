import { headerNames } from '@paid-inference/contract/constants';
import type { InsufficientFundsBody } from '@paid-inference/contract/types';
import { check, type JudgedId, observation } from '../../context/check.ts';
import type { Context } from '../../context/context.ts';
import { isOpenUntilTheEnd } from '../../sources/accepted-payments.ts';
import type { PaidEndpoint } from '../../sources/bodies.ts';
import { describe, hasStatus } from '../../sources/judgements.ts';
import { decodeRequirements, offerHeader } from '../../sources/sources.ts';
import { readsPayments, unfunded } from '../../sources/throwaway-source.ts';
import { type Found, missing } from '../../types/found.ts';
import { seen, unknown } from '../../types/verdict.ts';
import type { Answered } from '../../wire/exchange.ts';
import { envelopeChecks } from '../errors/envelope.ts';

// The compiler compares this constant with the contract's types.
export const insufficientFunds = {
  type: 'payment_error',
  code: 'insufficient_funds',
} as const satisfies Pick<InsufficientFundsBody['error'], 'type' | 'code'>;

const asIfNoneHadCome =
  'a payment without funds got a 402 without an error, which may have another reason, such as a slow clock of the target';

/** Checks of a correctly signed payment by a payer without funds (§3, §5, §7). */
export const fundsChecks = [
  insufficient('funds.insufficient.402', 'A payment without funds gets 402 (chat)', 'chat'),
  insufficient(
    'funds.insufficient.completions',
    'A payment without funds gets 402 (completions)',
    'completions',
  ),
  ...(['chat', 'completions'] as const).flatMap((endpoint) =>
    envelopeChecks(
      {
        envelope: 'error.402.envelope',
        type: 'error.402.type',
        code: 'error.402.code',
        contentType: 'error.402.content-type',
      },
      `the 402 without funds (${endpoint})`,
      insufficientFunds,
      (context) => refusedForFunds(context, endpoint),
    ),
  ),
  observation('funds.insufficient.offer', 'Whether the 402 without funds has an offer', async (context) => {
    const refused = await refusedForFunds(context, 'chat');
    if (!refused.ok) return refused.verdict;
    if (!offerHeader(refused.value).ok) return seen('no offer');
    const offered = decodeRequirements(refused.value);
    return seen(offered.ok ? `an offer in ${headerNames.paymentRequired}` : offered.verdict.reason);
  }),
];

async function refusedForFunds(context: Context, endpoint: PaidEndpoint): Promise<Found<Answered>> {
  const answered = await unfunded(context, endpoint);
  if (!answered.ok) return answered;
  if (answered.value.outcome.status !== 402) {
    return missing(`a payment without funds got ${describe(answered.value)}, not 402`);
  }
  return isOpenUntilTheEnd(context, answered.value) ? missing(asIfNoneHadCome) : answered;
}

/** If the target answers every payment with a bare 402, a 402 for missing funds proves nothing. */
function insufficient(requirement: JudgedId, title: string, endpoint: PaidEndpoint) {
  return check(requirement, title, async (context) => {
    const answered = await unfunded(context, endpoint);
    if (!answered.ok) return answered.verdict;
    if (isOpenUntilTheEnd(context, answered.value)) return unknown(asIfNoneHadCome);
    const verdict = hasStatus(answered.value, 402);
    if (verdict.kind !== 'holds') return verdict;
    const reads = await readsPayments(context);
    return reads.ok ? verdict : reads.verdict;
  });
}
