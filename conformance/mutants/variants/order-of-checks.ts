import { createHash } from 'node:crypto';
import type { Edge } from '../edge.ts';
import type { Asked, Reply } from '../message.ts';
import type { PaymentForge } from '../payment-forge.ts';
import { type Endpoint, findEndpoint, isPaid, readPayment, withJson, withoutHeader } from '../wire-edits.ts';
import { refused } from './refusals.ts';
import { type LegalVariant, open, variant } from './variant.ts';

/** A number from 0 to 255 that selects the order of the checks of a request. */
type Choice = (asked: Asked, requestsBefore: number) => number;

/** Refuses a request with several faults because of one of them, which `choice` selects. */
function orderedBy(choice: Choice): Edge {
  const paymentsRequired = new Map<Endpoint, Reply>();
  let requests = 0;
  return {
    respond: async (reply, asked, forge) => {
      const endpoint = findEndpoint(asked);
      if (!endpoint || asked.method !== 'POST') return reply;
      const chosen = choice(asked, requests);
      requests += 1;
      if (!isPaid(asked) && reply.status === 402) paymentsRequired.set(endpoint, reply);
      const paymentRequired = paymentsRequired.get(endpoint);
      const refusals = [reply, ...(await otherRefusals(reply, asked, forge, paymentRequired))];
      return refusals[chosen % refusals.length] ?? reply;
    },
  };
}

/** Refusals for the other faults of a request that was refused. */
async function otherRefusals(
  reply: Reply,
  asked: Asked,
  forge: PaymentForge,
  paymentRequired: Reply | undefined,
): Promise<readonly Reply[]> {
  if (![400, 401, 402].includes(reply.status)) return [];
  if (!isPaid(asked)) return reply.status === 400 && paymentRequired ? [paymentRequired] : [];
  const payment = readPayment(asked);
  const from = String(payment?.authorization['from']).toLowerCase();
  if (!payment || from === forge.payer) return [];
  const bare = withoutHeader(reply, 'X-PAYMENT-REQUIRED');
  const poor = refused(bare, 402);
  const isNamed = reply.status === 401 || (await forge.recoverSigner(asked)) === from;
  return isNamed ? [poor] : [poor, withJson({ ...bare, status: 401 }, { error: invalidSignature })];
}

const invalidSignature = { message: 'No.', type: 'authentication_error', code: 'invalid_signature' };

function hashFirstByte(text: string): number {
  return createHash('sha256').update(text).digest()[0] ?? 0;
}

/** Legal variants that check requests in different orders (D-152). */
export const orderVariants: readonly LegalVariant[] = [
  {
    ...variant(
      'order-of-checks-changes',
      'changes the order of its checks with every request',
      open.acceptable,
      {},
    ),
    edge: () => orderedBy((_, requestsBefore) => hashFirstByte(`${requestsBefore}`)),
  },
  {
    ...variant('order-of-checks-by-body', 'orders its checks by a hash of the body', open.acceptable, {}),
    edge: () => orderedBy(({ text }) => hashFirstByte(text)),
  },
];
