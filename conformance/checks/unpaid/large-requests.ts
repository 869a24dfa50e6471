import { plain, requestUnder } from '../../conditions/requests.ts';
import { issueAfter } from '../../conditions/send.ts';
import { check } from '../../context/check.ts';
import type { Context } from '../../context/context.ts';
import { describe, judgeTransient } from '../../sources/judgements.ts';
import { paymentRequired } from '../../sources/sources.ts';
import { given } from '../../types/found.ts';
import { broken, holds, type Judgement, unknown } from '../../types/verdict.ts';
import { isServed } from './served-unpaid.ts';

/** Just above common limits of servers. The contract shows no limit (§8). */
const sizes = [300_000, 1_200_000];

/** Checks that large requests are refused in any way or get 402, but are never served (§1, §8, D-418). */
export const largeRequestChecks = [
  check('unpaid.never-200', 'Large chats are not served without payment', (context) =>
    // A gateway that returns no 402 fails other checks.
    given(paymentRequired(context, 'chat'), () => judgeAll(context)),
  ),
];

async function judgeAll(context: Context): Promise<Judgement> {
  let open: Judgement | undefined;
  for (const bytes of sizes) {
    const request = requestUnder({ ...plain, endpoint: 'chat', model: context.model, bytes });
    // Marked as random, so that no closing check judges how the request is refused.
    const answered = await context.send({ ...request, isRandom: true });
    if (!answered.ok) {
      if (!hasBrokenOff(context, request.text)) open ??= answered.verdict;
      continue;
    }
    if (isServed(context, answered.value)) {
      return broken('no success without payment', `${describe(answered.value)} for ${bytes} bytes`);
    }
    const issue = await issueAfter(context, answered.value);
    if (issue !== undefined) return unknown(issue);
    open ??= judgeTransient(answered.value);
  }
  return open ?? holds(`${sizes.join(' and ')} bytes`);
}

/** Whether the target closed the connection during the upload, which hides its refusal. */
function hasBrokenOff(context: Context, text: string | undefined): boolean {
  const last = context.everything().findLast(({ request }) => request.body === text);
  return last?.outcome.kind === 'failure' && last.outcome.hasBrokenOff === true;
}
