import type { Edge } from './edge.ts';
import type { Reply } from './message.ts';
import { findEndpoint, isPaid, type Json, readPayment, withHeader, withJson } from './wire-edits.ts';

const refusal = { error: { message: 'Slow down.', type: 'rate_limit_error', code: 'rate_limited' } };

/** The unpaid request with this number gets the 429. */
const offersBefore = 5;

/** Returns 429 with `Retry-After: 0` for each second request with no payment in `X-PAYMENT`, or with an invalid body. */
export function refusingEachSecond(): Edge {
  let refused = 0;
  return {
    respond: (reply, asked) => {
      const isBad = isPaid(asked) && (readPayment(asked) === undefined || reply.status === 400);
      if (findEndpoint(asked) === undefined || !isBad) return reply;
      refused += 1;
      return refused % 2 === 0 ? reply : slowed(reply, refusal);
    },
  };
}

/** Returns 429 without `Retry-After` for the first payment to each recipient, and of each amount above the first one. */
export function refusingNewTerms(): Edge {
  const known = new Set<string>();
  return {
    respond: (reply, asked) => {
      const { to, value } = readPayment(asked)?.authorization ?? {};
      const terms = JSON.stringify([asked.path, to, value]);
      if (findEndpoint(asked) === undefined || to === undefined || known.has(terms)) return reply;
      known.add(terms);
      // The first terms are those of the offer.
      if (known.size <= 2) return reply;
      const { headers } = withHeader(reply, 'Content-Type', 'application/json');
      return withJson({ status: 429, headers, text: '' }, refusal);
    },
  };
}

/** Returns 429 with `Retry-After: 0` once, for the fifth unpaid request. */
export function refusingOnce(change: (body: Json) => unknown = (body) => body): Edge {
  let paymentsRequired = 0;
  return {
    respond: (reply, asked) => {
      if (findEndpoint(asked) === undefined || isPaid(asked) || reply.status !== 402) return reply;
      paymentsRequired += 1;
      if (paymentsRequired !== offersBefore) return reply;
      return slowed(reply, change(refusal));
    },
  };
}

function slowed(reply: Reply, body: unknown): Reply {
  const { headers } = withHeader(reply, 'Content-Type', 'application/json');
  return withJson({ status: 429, headers: { ...headers, 'Retry-After': '0' }, text: '' }, body);
}
