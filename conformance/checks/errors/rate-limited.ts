import type { RateLimitedBody } from '@paid-inference/contract/types';
import { closingCheck } from '../../context/check.ts';
import { errorOf, isString, transientStatuses, written } from '../../sources/judgements.ts';
import { unpaid } from '../../sources/sources.ts';
import { answersOf } from '../../sources/transcript-queries.ts';
import { broken, holds, notApplicable, unknown } from '../../types/verdict.ts';

// The compiler holds these to the contract's types.
export const rateLimited = {
  type: 'rate_limit_error',
  code: 'rate_limited',
} as const satisfies Pick<RateLimitedBody['error'], 'type' | 'code'>;

/**
 * A 429 that nobody provoked is held to its row (contract 7), also where the same request was answered when it was sent
 * again. Where an endpoint answers nothing else, what stands before it may be all that was seen (D-104).
 */
export const rateLimitedChecks = [
  closingCheck('error.429.row', 'Every 429 of the run has the error body of its row', async (context) => {
    // Asked already, unless a filter leaves nothing else.
    const asked = await unpaid(context, 'chat');
    const answers = answersOf(context);
    const refusals = answers.filter(({ outcome }) => outcome.status === 429);
    if (refusals.length === 0) return asked.ok ? notApplicable('no request was answered 429') : asked.verdict;
    if (answers.every(({ outcome }) => transientStatuses.has(outcome.status))) {
      return unknown('every request was answered by what passes by itself');
    }
    const wrong = refusals.filter(({ outcome }) => !isOfItsRow(outcome.body));
    context.cite(wrong);
    const [first] = wrong;
    return first
      ? broken(
          `error.message, error.type "${rateLimited.type}" and error.code "${rateLimited.code}"`,
          written(first.outcome.body),
        )
      : holds();
  }),
];

function isOfItsRow(body: string): boolean {
  const { message, type, code } = errorOf(body) ?? {};
  return isString(message) && type === rateLimited.type && code === rateLimited.code;
}
