import { check, closingCheck } from '../../context/check.ts';
import { paidEndpointNames } from '../../sources/bodies.ts';
import { transientStatuses, written } from '../../sources/judgements.ts';
import { paymentRequired, unpaid } from '../../sources/sources.ts';
import { answersOf } from '../../sources/transcript-queries.ts';
import { given } from '../../types/found.ts';
import { broken, holds, notApplicable } from '../../types/verdict.ts';
import { decodeJson } from '../../wire/base64-json.ts';
import type { Answered } from '../../wire/exchange.ts';
import { findPaymentRequired } from '../unpaid/payment-required.ts';

/** The error table has rows for these, and each row gives the whole body. */
const rows = new Set([400, 401, 402]);

/** All bodies are JSON (introduction). The content of the 402 is not shown (4.1): it may be any JSON, or none at all. */
export const jsonBodyChecks = [
  ...paidEndpointNames.map((endpoint) =>
    check('unpaid.402.json', `The body of the 402 is JSON or empty (${endpoint})`, (context) =>
      given(paymentRequired(context, endpoint), (answered) =>
        isJsonOrEmpty(answered) ? holds() : broken('JSON, or no body', written(answered.outcome.body)),
      ),
    ),
  ),
  closingCheck('unpaid.402.json', 'The body of every 402 is JSON or empty', (context) =>
    given(paymentRequired(context, 'chat'), async () => {
      const wrong = (await findPaymentRequired(context)).filter((past) => !isJsonOrEmpty(past));
      context.cite(wrong);
      const [first] = wrong;
      return first
        ? broken('JSON, or no body', `${written(first.outcome.body)} (answer ${first.number})`)
        : holds();
    }),
  ),
  closingCheck('error.json', 'The body of every other refusal is JSON or empty', async (context) => {
    // Asked already, unless a filter leaves nothing else.
    const asked = await unpaid(context, 'chat');
    const others = answersOf(context).filter(
      ({ outcome: { status } }) =>
        status >= 400 && status < 500 && !rows.has(status) && !transientStatuses.has(status),
    );
    if (others.length === 0) return asked.ok ? notApplicable('no request was answered so') : asked.verdict;
    const wrong = others.filter((past) => !isJsonOrEmpty(past));
    context.cite(wrong);
    const [first] = wrong;
    return first
      ? broken('JSON, or no body', `${written(first.outcome.body)} (answer ${first.number})`)
      : holds();
  }),
];

function isJsonOrEmpty({ outcome: { body } }: Answered): boolean {
  return body.trim() === '' || decodeJson(Buffer.from(body)).ok;
}
