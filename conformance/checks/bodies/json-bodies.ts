import { check, closingCheck } from '../../context/check.ts';
import type { Context } from '../../context/context.ts';
import { paidEndpointNames } from '../../sources/bodies.ts';
import { judgeTransient, transientStatuses, written } from '../../sources/judgements.ts';
import { paymentRequired, unpaid } from '../../sources/sources.ts';
import { given } from '../../types/found.ts';
import { broken, holds, type Judgement, notApplicable } from '../../types/verdict.ts';
import { decodeJson } from '../../wire/base64-json.ts';
import type { Answered } from '../../wire/exchange.ts';
import { findPaymentRequired } from '../unpaid/payment-required.ts';

/** The error table has rows for these statuses, and each row defines the whole body. */
const rows = new Set([400, 401, 402]);

/**
 * Checks that all bodies are JSON (introduction). The contract does not define the body of a 402 (§4.1), so any
 * JSON or an empty body is valid.
 */
export const jsonBodyChecks = [
  ...paidEndpointNames.map((endpoint) =>
    check('unpaid.402.json', `The body of the 402 is JSON or empty (${endpoint})`, (context) =>
      given(paymentRequired(context, endpoint), (answered) =>
        isJsonOrEmpty(answered)
          ? holds()
          : broken('a JSON body, or an empty body', written(answered.outcome.body)),
      ),
    ),
  ),
  closingCheck('unpaid.402.json', 'The body of every 402 is JSON or empty', async (context) => {
    const asked = await paymentRequired(context, 'chat');
    if (!asked.ok) return asked.verdict;
    return judgeEach(context, await findPaymentRequired(context));
  }),
  closingCheck('error.json', 'The body of every other refusal is JSON or empty', async (context) => {
    // Usually asked before, unless a filter selects only this check.
    const asked = await unpaid(context, 'chat');
    const others = context.transcript().flatMap(({ outcome, ...rest }) => {
      const status = outcome.kind === 'response' ? outcome.status : 0;
      const isOther = status >= 400 && status < 500 && !rows.has(status) && !transientStatuses.has(status);
      return isOther && outcome.kind === 'response' ? [{ ...rest, outcome }] : [];
    });
    const verdict = judgeEach(context, others);
    if (verdict.kind === 'broken') return verdict;
    // Other paths prove nothing if no plain request was judged.
    if (!asked.ok) return asked.verdict;
    if (others.length === 0) return notApplicable('no request got such a status');
    return judgeTransient(asked.value) ?? verdict;
  }),
];

function judgeEach(context: Context, responses: readonly Answered[]): Judgement {
  const wrong = responses.filter((past) => !isJsonOrEmpty(past));
  context.cite(wrong);
  const [first] = wrong;
  if (!first) return holds();
  return broken('a JSON body, or an empty body', `${written(first.outcome.body)} (request ${first.number})`);
}

function isJsonOrEmpty({ outcome: { body } }: Answered): boolean {
  return body.trim() === '' || decodeJson(Buffer.from(body)).ok;
}
