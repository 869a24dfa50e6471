import type { Edge } from '../edge.ts';
import type { Asked, Reply } from '../message.ts';
import {
  type Endpoint,
  encoded,
  endpointOf,
  headerNamed,
  objectIn,
  paymentOf,
  withHeader,
  withJson,
} from '../wire-edits.ts';
import { offerOf, paidAs } from './quotes.ts';
import { type LegalVariant, open, variant } from './variant.ts';

const offerName = 'X-PAYMENT-REQUIRED';

/** How a payment is refused that was offered for another body, by status; without one it brings the offer for this body. */
const mismatches = {
  400: { message: 'Pay for this.', type: 'payment_error', code: 'payment_mismatch' },
  401: { message: 'Pay for this.', type: 'authentication_error', code: 'payment_mismatch' },
} as const;

/**
 * Each offer has a price of its own and is kept with the body that it was made for. A payment is looked for there before
 * anything else is looked at, the body among it; without a payment an invalid body is refused as ever.
 */
function boundToBodies(status: 400 | 401 | 402): Edge {
  const offered = new Set<string>();
  const paymentsRequired = new Map<Endpoint, Reply>();
  // So much that a unit more with each offer of a run stays within what the budget signs.
  let more = 10_000;
  const isOffered = (asked: Asked) => offered.has(offerOf(asked, paymentOf(asked)?.authorization['value']));
  const demanded = (reply: Reply, asked: Asked) => {
    const offer = objectIn(headerNamed(reply.headers, offerName));
    if (!offer) return reply;
    more += 1;
    const maxAmountRequired = String(Number(offer['maxAmountRequired']) + more);
    offered.add(offerOf(asked, maxAmountRequired));
    return withHeader(reply, offerName, encoded({ ...offer, maxAmountRequired }));
  };
  return {
    read: (asked, forge) => paidAs(asked, forge, () => isOffered(asked)),
    answer: (reply, asked) => {
      const endpoint = endpointOf(asked);
      if (!endpoint) return reply;
      const hasOffer = headerNamed(reply.headers, offerName) !== undefined;
      if (hasOffer && !paymentsRequired.has(endpoint)) paymentsRequired.set(endpoint, reply);
      const paymentRequired = paymentsRequired.get(endpoint);
      if (!paymentRequired || !paymentOf(asked) || isOffered(asked)) return demanded(reply, asked);
      return status === 402
        ? demanded(paymentRequired, asked)
        : withJson({ ...reply, status }, { error: mismatches[status] });
    },
  };
}

function bound(status: 400 | 401 | 402, how: string, words: string): LegalVariant {
  return {
    ...variant(
      `payments-bound-to-bodies-as-${status}`,
      `answers ${how} to a payment that was offered for another body, before it reads the body`,
      words,
      {},
    ),
    edge: () => boundToBodies(status),
  };
}

/** Payments that are good for the request that they were offered for (contract 4.4, 7, 8), and for no other. */
export const boundPaymentVariants: readonly LegalVariant[] = [
  bound(400, '400 of its own', open.price),
  bound(401, '401 of its own', open.noValidPayment),
  bound(402, 'the offer', open.noValidPayment),
];
