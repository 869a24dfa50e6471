import { mimeType } from '@paid-inference/contract/constants';
import type { InternalErrorBody } from '@paid-inference/contract/types';
import { type Check, closingCheck, type JudgedId } from '../../context/check.ts';
import { errorOf, essenceOf, is, worst, written } from '../../sources/judgements.ts';
import { unpaid } from '../../sources/sources.ts';
import { broken, holds, type Judgement, notApplicable } from '../../types/verdict.ts';
import type { Answered } from '../../wire/exchange.ts';
import { hasEnvelope, isDeclaredAsJson } from './envelope.ts';

// The compiler holds these to the contract's types.
const internalError = {
  type: 'server_error',
  code: 'internal_error',
} as const satisfies Pick<InternalErrorBody['error'], 'type' | 'code'>;

/**
 * The last row of the error table (contract 7). Nobody can ask for a 500, but one that came is held to its row. A target
 * that never answered 500 has nothing to show, and is not asked to.
 */
export const internalErrorChecks = [
  ofEvery500('error.500.envelope', '`error` of a 500 has message, type and code', (answered) =>
    hasEnvelope(answered)
      ? holds()
      : broken('error.message, error.type and error.code, all strings', written(answered.outcome.body)),
  ),
  ofEvery500('error.500.type', `\`error.type\` of a 500 is \`${internalError.type}\``, ({ outcome }) =>
    is(errorOf(outcome.body)?.['type'], (value) => value === internalError.type, `"${internalError.type}"`),
  ),
  ofEvery500('error.500.code', `\`error.code\` of a 500 is \`${internalError.code}\``, ({ outcome }) =>
    is(errorOf(outcome.body)?.['code'], (value) => value === internalError.code, `"${internalError.code}"`),
  ),
  ofEvery500('error.500.content-type', 'The body of a 500 is declared as JSON', (answered) =>
    isDeclaredAsJson(answered) ? holds() : broken(`"${mimeType}"`, written(essenceOf(answered))),
  ),
];

function ofEvery500(requirement: JudgedId, title: string, judge: (answered: Answered) => Judgement): Check {
  return closingCheck(requirement, title, async (context) => {
    // Asked already, unless a filter leaves nothing else.
    const asked = await unpaid(context, 'chat');
    const faults = context
      .transcript()
      .flatMap(({ outcome, ...exchange }) =>
        outcome.kind === 'answer' && outcome.status === 500 ? [{ ...exchange, outcome }] : [],
      );
    if (faults.length === 0 && !asked.ok) return asked.verdict;
    if (faults.length === 0) return notApplicable('no request was answered 500');
    context.cite(faults);
    return worst(faults.map(judge));
  });
}
