import { mimeType } from '@paid-inference/contract/constants';
import type { InternalErrorBody } from '@paid-inference/contract/types';
import { type Check, closingCheck, type JudgedId } from '../../context/check.ts';
import { is, readError, readMediaType, worst, written } from '../../sources/judgements.ts';
import { unpaid } from '../../sources/sources.ts';
import { broken, holds, type Judgement, notApplicable } from '../../types/verdict.ts';
import type { Answered } from '../../wire/exchange.ts';
import { hasEnvelope, isDeclaredAsJson } from './envelope.ts';

// The compiler compares this constant with the contract's types.
const internalError = {
  type: 'server_error',
  code: 'internal_error',
} as const satisfies Pick<InternalErrorBody['error'], 'type' | 'code'>;

/**
 * Checks of the last row of the error table (§7). The suite cannot provoke a 500, but judges each one that
 * occurs. Without a 500 the checks are not applicable.
 */
export const internalErrorChecks = [
  ofEvery500('error.500.envelope', '`error` of a 500 has message, type and code', (answered) =>
    hasEnvelope(answered)
      ? holds()
      : broken('error.message, error.type and error.code, all strings', written(answered.outcome.body)),
  ),
  ofEvery500('error.500.type', `\`error.type\` of a 500 is \`${internalError.type}\``, ({ outcome }) =>
    is(readError(outcome.body)?.['type'], (value) => value === internalError.type, `"${internalError.type}"`),
  ),
  ofEvery500('error.500.code', `\`error.code\` of a 500 is \`${internalError.code}\``, ({ outcome }) =>
    is(readError(outcome.body)?.['code'], (value) => value === internalError.code, `"${internalError.code}"`),
  ),
  ofEvery500('error.500.content-type', 'The Content-Type of a 500 is JSON', (answered) =>
    isDeclaredAsJson(answered) ? holds() : broken(`"${mimeType}"`, written(readMediaType(answered))),
  ),
];

function ofEvery500(requirement: JudgedId, title: string, judge: (answered: Answered) => Judgement): Check {
  return closingCheck(requirement, title, async (context) => {
    // Usually asked before, unless a filter selects only this check.
    const asked = await unpaid(context, 'chat');
    const faults = context
      .transcript()
      .flatMap(({ outcome, ...exchange }) =>
        outcome.kind === 'response' && outcome.status === 500 ? [{ ...exchange, outcome }] : [],
      );
    if (faults.length === 0 && !asked.ok) return asked.verdict;
    if (faults.length === 0) return notApplicable('no request got 500');
    context.cite(faults);
    return worst(faults.map(judge));
  });
}
