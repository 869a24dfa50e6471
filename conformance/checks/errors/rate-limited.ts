import type { RateLimitedBody } from '@paid-inference/contract/types';
import { closingCheck } from '../../context/check.ts';
import { isString, readError, transientStatuses, written } from '../../sources/judgements.ts';
import { unpaid } from '../../sources/sources.ts';
import { listResponses } from '../../sources/transcript-queries.ts';
import { broken, holds, notApplicable, unknown } from '../../types/verdict.ts';

// The compiler compares this constant with the contract's types.
export const rateLimited = {
  type: 'rate_limit_error',
  code: 'rate_limited',
} as const satisfies Pick<RateLimitedBody['error'], 'type' | 'code'>;

/**
 * Checks each unprovoked 429 of the run against its row (§7), even if a retry succeeded. If the run got only
 * transient responses, they may come from infrastructure in front of the gateway (D-104).
 */
export const rateLimitedChecks = [
  closingCheck('error.429.row', 'Every 429 of the run has the error body of its row', async (context) => {
    // Usually asked before, unless a filter selects only this check.
    const asked = await unpaid(context, 'chat');
    const responses = listResponses(context);
    const refusals = responses.filter(({ outcome }) => outcome.status === 429);
    if (refusals.length === 0) return asked.ok ? notApplicable('no request got 429') : asked.verdict;
    if (responses.every(({ outcome }) => transientStatuses.has(outcome.status))) {
      return unknown('every request got a transient status');
    }
    const wrong = refusals.filter(({ outcome }) => !isOfItsRow(outcome.body));
    context.cite(wrong);
    const [first] = wrong;
    if (!first) return holds();
    const expected = `error.message, error.type "${rateLimited.type}" and error.code "${rateLimited.code}"`;
    return broken(expected, written(first.outcome.body));
  }),
];

function isOfItsRow(body: string): boolean {
  const { message, type, code } = readError(body) ?? {};
  return isString(message) && type === rateLimited.type && code === rateLimited.code;
}
