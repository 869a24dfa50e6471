import type { Edge } from '../edge.ts';
import type { Asked } from '../message.ts';
import type { Mutant } from '../mutant.ts';
import type { PaymentForge } from '../payment-forge.ts';
import { type Endpoint, findEndpoint, isObject, objectIn, readPayment } from '../wire-edits.ts';
import { hasForm, readPayer, signatureEndpoints } from './signature.ts';

/** Verifies signatures of a payer only until the gateway has served this payer `times` times. */
function trustingServed(endpoint: Endpoint, times: number): () => Edge {
  return () => {
    const served = new Map<string, number>();
    return {
      read: async (asked: Asked, forge: PaymentForge) => {
        const payment = readPayment(asked);
        const isKnown = (served.get(readPayer(payment)) ?? 0) >= times && findEndpoint(asked) === endpoint;
        if (!payment || !isKnown || (await forge.recoverSigner(asked)) === readPayer(payment)) return asked;
        return forge.paidBy(readPayer(payment) === forge.payer ? 'payer' : 'stranger', asked);
      },
      respond: (reply, asked) => {
        const from = readPayer(readPayment(asked));
        if (reply.status === 200) served.set(from, (served.get(from) ?? 0) + 1);
        return reply;
      },
    };
  };
}

/** Takes a signature that it cannot read for a valid one, if the payer has funds. */
function failingOpen(isTaken: (signature: unknown) => boolean): NonNullable<Edge['read']> {
  return (asked, forge) => {
    const payload = objectIn(asked.headers['x-payment'])?.['payload'];
    const isOfPayer = readPayer(readPayment(asked)) === forge.payer;
    return isOfPayer && isObject(payload) && isTaken(payload['signature'])
      ? forge.paidBy('payer', asked)
      : asked;
  };
}

const trusts = [
  ['known-payers-not-verified', 1, 'once'],
  ['well-known-payers-not-verified', 5, 'five times'],
] as const;

/** Gateways that accept other signatures for payers that they know, or that have funds. */
export const knownPayerMutants: readonly Mutant[] = [
  ...signatureEndpoints.flatMap(([endpoint, suffix]) =>
    trusts.map(
      ([id, times, often]): Mutant => ({
        id: `${id}${suffix}`,
        does: `accepts any signature for a payer that it has served ${often} (${endpoint})`,
        place: 'read',
        kills: ['signature.known-payer'],
        edge: trustingServed(endpoint, times),
      }),
    ),
  ),
  {
    id: 'missing-signatures-of-rich-payers-taken',
    does: 'accepts a payment without a signature, if its payer has funds',
    place: 'read',
    kills: ['signature.known-payer'],
    edge: () => ({ read: failingOpen((signature) => signature === undefined || signature === '') }),
  },
  {
    id: 'malformed-signatures-of-rich-payers-taken',
    does: 'accepts a signature that has not 65 bytes, if its payer has funds',
    place: 'read',
    kills: ['signature.known-payer'],
    edge: () => ({ read: failingOpen((signature) => Boolean(signature) && !hasForm(String(signature))) }),
  },
];
