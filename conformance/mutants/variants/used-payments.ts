import type { Edge } from '../edge.ts';
import type { Asked, Reply } from '../message.ts';
import { withJson, withoutHeader } from '../wire-edits.ts';
import { nonceOf, refused } from './refusals.ts';
import { type LegalVariant, open, variant } from './variant.ts';

/** A payment that was taken is taken for no second request. */
function reusing(
  change: (reply: Reply) => Reply,
  nameOf: (asked: Asked) => string | undefined = nonceOf,
): () => Edge {
  return () => {
    const served = new Set<string>();
    return {
      answer: (reply, asked) => {
        const nonce = nameOf(asked);
        if (nonce === undefined) return reply;
        if (served.has(nonce)) return change(reply);
        if (reply.status === 200) served.add(nonce);
        return reply;
      },
    };
  };
}

/** A payment is looked at once, whatever became of it. */
function burning(change: (reply: Reply) => Reply): () => Edge {
  return () => {
    const seen = new Set<string>();
    return {
      answer: (reply, asked) => {
        const nonce = nonceOf(asked);
        if (nonce === undefined) return reply;
        if (seen.has(nonce)) return change(reply);
        seen.add(nonce);
        return reply;
      },
    };
  };
}

function spent(reply: Reply, status: number): Reply {
  const error = { message: 'Sign anew.', type: 'payment_error', code: 'nonce_used' };
  return withJson({ ...withoutHeader(reply, 'X-PAYMENT-RESPONSE'), status }, { error });
}

/** What becomes of a payment that is sent again (contract 5). */
export const usedPaymentVariants: readonly LegalVariant[] = [
  {
    ...variant('used-payment-as-409', 'answers 409 to a payment that was used', open.nonce, {}),
    edge: reusing((reply) => ({ ...reply, status: 409 })),
  },
  {
    ...variant('used-payment-as-200', 'answers a used payment with 200 and nothing in it', open.nonce, {}),
    // With another signature it is none (contract 3).
    edge: reusing(
      (reply) => withJson({ ...withoutHeader(reply, 'X-PAYMENT-RESPONSE'), status: 200 }, {}),
      (asked) => asked.headers['x-payment'],
    ),
  },
  {
    ...variant('used-payment-as-400', 'answers 400 to a payment that was used', open.nonce, {}),
    edge: reusing((reply) => refused(reply, 400)),
  },
  {
    ...variant(
      'refused-payment-as-400',
      'answers 400 of its own to a payment that was refused before',
      open.nonce,
      {},
    ),
    edge: burning((reply) => spent(reply, 400)),
  },
  {
    ...variant(
      'refused-payment-as-402',
      'answers 402 of its own to a payment that was refused before',
      open.nonce,
      {},
    ),
    edge: burning((reply) => spent(reply, 402)),
  },
];
