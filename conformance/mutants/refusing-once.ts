import type { Edge } from './edge.ts';
import { endpointOf, isPaid, type Json, withHeader, withJson } from './wire-edits.ts';

const refusal = { error: { message: 'Slow down.', type: 'rate_limit_error', code: 'rate_limited' } };

/** How many demands are made before the one that is refused. */
const offersBefore = 5;

/** Answers 429 once, to be asked again at once. */
export function refusingOnce(change: (body: Json) => unknown = (body) => body): Edge {
  let paymentsRequired = 0;
  return {
    answer: (reply, asked) => {
      if (endpointOf(asked) === undefined || isPaid(asked) || reply.status !== 402) return reply;
      paymentsRequired += 1;
      if (paymentsRequired !== offersBefore) return reply;
      const { headers } = withHeader(reply, 'Content-Type', 'application/json');
      return withJson(
        { status: 429, headers: { ...headers, 'Retry-After': '0' }, text: '' },
        change(refusal),
      );
    },
  };
}
