import type { Edge } from '../edge.ts';
import type { Asked, Reply } from '../message.ts';
import {
  type Endpoint,
  encoded,
  findEndpoint,
  headerNamed,
  isPaid,
  objectIn,
  readPayment,
  withHeader,
  withJson,
} from '../wire-edits.ts';
import { buildOfferKey, paidAs } from './quotes.ts';
import { type LegalVariant, open, variant } from './variant.ts';

const offerName = 'X-PAYMENT-REQUIRED';

/** Errors for a payment of another body, by status. The status 402 brings a new offer instead. */
const mismatches = {
  400: { message: 'Pay for this.', type: 'payment_error', code: 'payment_mismatch' },
  401: { message: 'Pay for this.', type: 'authentication_error', code: 'payment_mismatch' },
} as const;

/**
 * Gives each offer its own price, and stores the price with the body of the request. The gateway looks up a
 * payment there before all other checks, that of the body included. An unpaid request with an invalid body is
 * rejected as usual.
 */
function boundToBodies(status: 400 | 401 | 402): Edge {
  const offered = new Set<string>();
  const paymentsRequired = new Map<Endpoint, Reply>();
  // High enough that one unit more for each offer of a run stays within the budget.
  let more = 10_000;
  const isOffered = (asked: Asked) =>
    offered.has(buildOfferKey(asked, readPayment(asked)?.authorization['value']));
  const demanded = (reply: Reply, asked: Asked) => {
    const offer = objectIn(headerNamed(reply.headers, offerName));
    if (!offer) return reply;
    more += 1;
    const maxAmountRequired = String(Number(offer['maxAmountRequired']) + more);
    offered.add(buildOfferKey(asked, maxAmountRequired));
    return withHeader(reply, offerName, encoded({ ...offer, maxAmountRequired }));
  };
  return {
    read: (asked, forge) => paidAs(asked, forge, () => isOffered(asked)),
    respond: (reply, asked) => {
      const endpoint = findEndpoint(asked);
      if (!endpoint) return reply;
      const hasOffer = headerNamed(reply.headers, offerName) !== undefined;
      if (hasOffer && !paymentsRequired.has(endpoint)) paymentsRequired.set(endpoint, reply);
      const paymentRequired = paymentsRequired.get(endpoint);
      if (!paymentRequired || !readPayment(asked) || isOffered(asked)) return demanded(reply, asked);
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
      `returns ${how} for a payment that was offered for another body, before it reads the body`,
      words,
      {},
    ),
    edge: () => boundToBodies(status),
  };
}

/** Makes an offer, instead of checking the payment, for a payment whose request got no offer before. */
function demandingEachOffer(): Edge {
  const offered = new Set<string>();
  const paymentsRequired = new Map<Endpoint, Reply>();
  return {
    respond: (reply, asked) => {
      const endpoint = findEndpoint(asked);
      if (!endpoint) return reply;
      const key = buildOfferKey(asked, '');
      if (!isPaid(asked) && reply.status === 402) {
        offered.add(key);
        if (!paymentsRequired.has(endpoint)) paymentsRequired.set(endpoint, reply);
      }
      if (!readPayment(asked) || offered.has(key)) return reply;
      return paymentsRequired.get(endpoint) ?? reply;
    },
  };
}

/** Legal variants that accept a payment only for the request of its offer (contract 4.4, 7, 8). */
export const boundPaymentVariants: readonly LegalVariant[] = [
  bound(400, '400 with its own error', open.price),
  bound(401, '401 with its own error', open.noValidPayment),
  bound(402, '402 with a new offer', open.noValidPayment),
  {
    ...variant(
      'offers-demanded-for-bodies',
      'makes an offer for a payment whose request got no offer before',
      open.noValidPayment,
      {},
    ),
    edge: demandingEachOffer,
  },
];
