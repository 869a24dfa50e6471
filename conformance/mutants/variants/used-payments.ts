import type { Edge } from '../edge.ts';
import type { Asked, Reply } from '../message.ts';
import { withJson, withoutHeader } from '../wire-edits.ts';
import { readNonce, refused } from './refusals.ts';
import { type LegalVariant, open, variant } from './variant.ts';

/** Changes the response to a payment that was served before. */
function reusing(
  change: (reply: Reply) => Reply,
  readName: (asked: Asked) => string | undefined = readNonce,
): () => Edge {
  return () => {
    const served = new Set<string>();
    return {
      respond: (reply, asked) => {
        const nonce = readName(asked);
        if (nonce === undefined) return reply;
        if (served.has(nonce)) return change(reply);
        if (reply.status === 200) served.add(nonce);
        return reply;
      },
    };
  };
}

/** Changes the response to a payment that was sent before, whatever its result was. */
function burning(change: (reply: Reply) => Reply): () => Edge {
  return () => {
    const seen = new Set<string>();
    return {
      respond: (reply, asked) => {
        const nonce = readNonce(asked);
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

/** Legal variants of the response to a repeated payment (contract 5). */
export const usedPaymentVariants: readonly LegalVariant[] = [
  {
    ...variant('used-payment-as-409', 'returns 409 for a used payment', open.nonce, {}),
    edge: reusing((reply) => ({ ...reply, status: 409 })),
  },
  {
    ...variant('used-payment-as-200', 'returns 200 with an empty object for a used payment', open.nonce, {}),
    // A payment with another signature is another payment (contract 3).
    edge: reusing(
      (reply) => withJson({ ...withoutHeader(reply, 'X-PAYMENT-RESPONSE'), status: 200 }, {}),
      (asked) => asked.headers['x-payment'],
    ),
  },
  {
    ...variant('used-payment-as-400', 'returns 400 for a used payment', open.nonce, {}),
    edge: reusing((reply) => refused(reply, 400)),
  },
  {
    ...variant(
      'refused-payment-as-400',
      'returns 400 with its own error for a payment that was sent before',
      open.nonce,
      {},
    ),
    edge: burning((reply) => spent(reply, 400)),
  },
  {
    ...variant(
      'refused-payment-as-402',
      'returns 402 with its own error for a payment that was sent before',
      open.nonce,
      {},
    ),
    edge: burning((reply) => spent(reply, 402)),
  },
];
