import type { InvalidRequestBody } from '@paid-inference/contract/types';
import { closingCheck, observation } from '../../context/check.ts';
import type { Context } from '../../context/context.ts';
import {
  bodyFor,
  invalidRequest,
  type PaidEndpoint,
  paidEndpointNames,
  paidEndpoints,
} from '../../sources/bodies.ts';
import { describe, judgeTransient } from '../../sources/judgements.ts';
import { askInvalid } from '../../sources/order-of-checks.ts';
import { paymentRequired, readsBodyFirst, unpaid } from '../../sources/sources.ts';
import { type Found, found, given, missing } from '../../types/found.ts';
import { broken, holds, seen } from '../../types/verdict.ts';
import type { Answered, Exchange } from '../../wire/exchange.ts';
import type { WireResponse } from '../../wire/wire.ts';
import { envelopeChecks } from './envelope.ts';
import { internalErrorChecks } from './internal-error.ts';

// The compiler compares these constants with the contract's types.
export const invalidRequestError = {
  type: 'invalid_request_error',
  code: 'invalid_request',
} as const satisfies Pick<InvalidRequestBody['error'], 'type' | 'code'>;

/** Checks of the error table (§7) that need no payment. */
export const errorChecks = [
  ...paidEndpointNames.flatMap((endpoint) =>
    envelopeChecks(
      {
        envelope: 'error.400.envelope',
        type: 'error.400.type',
        code: 'error.400.code',
        contentType: 'error.400.content-type',
      },
      `the 400 (${endpoint})`,
      invalidRequestError,
      (context) => badRequest(context, endpoint),
    ),
  ),
  ...internalErrorChecks,
  closingCheck('error.none-5xx', 'No request causes a server fault', async (context) => {
    // Usually asked before, unless a filter selects only this check.
    const asked = await unpaid(context, 'chat');
    const faults = context.transcript().filter(
      ({ request, outcome }) =>
        outcome.kind === 'response' &&
        outcome.status >= 500 &&
        !isBusy(outcome) &&
        // 501 is valid for a method that a server does not know.
        !(outcome.status === 501 && request.method !== 'POST'),
    );
    context.cite(faults);
    const numbers = faults.map(({ number }) => number).join(', ');
    if (faults.length === 1) return broken('no 5xx', `one 5xx response, to request ${numbers}`);
    if (faults.length > 1)
      return broken('no 5xx', `${faults.length} 5xx responses, to the requests ${numbers}`);
    // The absence of faults proves nothing if no plain request was judged.
    if (!asked.ok) return asked.verdict;
    return judgeTransient(asked.value) ?? holds();
  }),
  closingCheck('error.answered', 'Every request gets a response if a plain request does', async (context) => {
    const unanswered = context.unanswered();
    context.cite(unanswered);
    const [first] = unanswered;
    if (first) return broken('a response, like plain requests before and after', describeUnanswered(first));
    // Usually asked before, unless a filter selects only this check.
    return given(paymentRequired(context, 'chat'), () => holds());
  }),
  observation('error.unknown-path', 'Response to an unknown path', (context) =>
    given(context.ask({ path: '/v1/no-such-endpoint', body: {} }), (answered) => seen(describe(answered))),
  ),
  observation('error.other-method', 'Response to another method', (context) =>
    given(context.ask({ path: paidEndpoints.chat.path, method: 'GET' }), (answered) =>
      seen(describe(answered)),
    ),
  ),
  observation('error.content-type', 'Response to another content type', (context) =>
    given(
      context.ask({
        path: paidEndpoints.chat.path,
        body: bodyFor('chat', context.model),
        headers: { 'Content-Type': 'text/plain' },
      }),
      (answered) => seen(describe(answered)),
    ),
  ),
];

function describeUnanswered({ number, outcome }: Exchange): string {
  const what = outcome.kind === 'failure' ? outcome.reason : `status ${outcome.status}`;
  return `${what}, every time the suite sent request ${number}`;
}

/** A 503 with `Retry-After` is no fault; the error table has no row for it. */
function isBusy({ status, headers }: WireResponse): boolean {
  return status === 503 && headers.has('retry-after');
}

/** The 400 for a body without its main field. */
async function badRequest(context: Context, endpoint: PaidEndpoint): Promise<Found<Answered>> {
  const body: Record<string, unknown> = { ...bodyFor(endpoint, context.model) };
  delete body[endpoint === 'chat' ? 'messages' : 'prompt'];
  const readsFirst = await readsBodyFirst(context, endpoint);
  if (!readsFirst.ok) return readsFirst;
  const answered = await askInvalid(context, endpoint, invalidRequest(endpoint, body));
  if (!answered.ok) return answered;
  if (answered.value.outcome.status === 400) return found(answered.value);
  return missing(`an invalid body got ${describe(answered.value)}, not 400`);
}
