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
import { describe, passing } from '../../sources/judgements.ts';
import { askInvalid } from '../../sources/order-of-checks.ts';
import { paymentRequired, readsBodyFirst, unpaid } from '../../sources/sources.ts';
import { andThen, type Found, found, given, missing } from '../../types/found.ts';
import { broken, holds, seen } from '../../types/verdict.ts';
import type { Answered, Exchange } from '../../wire/exchange.ts';
import type { WireAnswer } from '../../wire/wire.ts';
import { envelopeChecks } from './envelope.ts';
import { internalErrorChecks } from './internal-error.ts';

// The compiler holds these to the contract's types.
export const invalidRequestError = {
  type: 'invalid_request_error',
  code: 'invalid_request',
} as const satisfies Pick<InvalidRequestBody['error'], 'type' | 'code'>;

/** The error table (contract 7), as far as it shows without a payment. */
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
  closingCheck('error.none-5xx', 'No request brings a server fault', async (context) => {
    // Asked already, unless a filter leaves nothing else.
    const asked = await unpaid(context, 'chat');
    const faults = context.transcript().filter(
      ({ request, outcome }) =>
        outcome.kind === 'answer' &&
        outcome.status >= 500 &&
        !isBusy(outcome) &&
        // Such a method may be unknown to a server, which 501 is for.
        !(outcome.status === 501 && request.method !== 'POST'),
    );
    context.cite(faults);
    const numbers = faults.map(({ number }) => number).join(', ');
    if (faults.length === 1) return broken('no 5xx', `one, to request ${numbers}`);
    if (faults.length > 1) return broken('no 5xx', `${faults.length}, to the requests ${numbers}`);
    // Where not even a plain request was judged, that none brought a fault says nothing.
    if (!asked.ok) return asked.verdict;
    return passing(asked.value) ?? holds();
  }),
  closingCheck('error.answered', 'Every request is answered, if a plain one is', async (context) => {
    const unanswered = context.unanswered();
    context.cite(unanswered);
    const [first] = unanswered;
    if (first) return broken('an answer, as to a plain request before and after', wordsOf(first));
    // Asked already, unless a filter leaves nothing else.
    return given(paymentRequired(context, 'chat'), () => holds());
  }),
  observation('error.unknown-path', 'What an unknown path brings', (context) =>
    given(context.ask({ path: '/v1/no-such-endpoint', body: {} }), (answered) => seen(describe(answered))),
  ),
  observation('error.other-method', 'What another method brings', (context) =>
    given(context.ask({ path: paidEndpoints.chat.path, method: 'GET' }), (answered) =>
      seen(describe(answered)),
    ),
  ),
  observation('error.content-type', 'What another content type brings', (context) =>
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

function wordsOf({ number, outcome }: Exchange): string {
  const what = outcome.kind === 'failure' ? outcome.reason : `status ${outcome.status}`;
  return `${what}, each time that request ${number} was sent`;
}

/** To be busy for a while, and to say for how long, is no fault: no row of the error table is about it. */
function isBusy({ status, headers }: WireAnswer): boolean {
  return status === 503 && headers.has('retry-after');
}

/** The 400 to a body that lacks what the endpoint is about. */
function badRequest(context: Context, endpoint: PaidEndpoint): Promise<Found<Answered>> {
  const body: Record<string, unknown> = { ...bodyFor(endpoint, context.model) };
  delete body[endpoint === 'chat' ? 'messages' : 'prompt'];
  return andThen(readsBodyFirst(context, endpoint), () =>
    andThen(askInvalid(context, endpoint, invalidRequest(endpoint, body)), (answered) =>
      answered.outcome.status === 400
        ? found(answered)
        : missing(`an invalid body was answered ${describe(answered)}, not 400`),
    ),
  );
}
