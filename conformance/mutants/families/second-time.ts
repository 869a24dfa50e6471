import type { RequirementId } from '@paid-inference/contract/requirements';
import type { Edge } from '../edge.ts';
import { isAboutFunds } from '../edits.ts';
import type { Asked, Reply } from '../message.ts';
import { answers, type Mutant, reads } from '../mutant.ts';
import type { PaymentForge } from '../payment-forge.ts';
import { type Endpoint, endpointOf, paymentOf } from '../wire-edits.ts';
import { fromOf, hasForm } from './signature.ts';

type Payment = NonNullable<ReturnType<typeof paymentOf>>;

/** By what a gateway knows a payment again, and what a chat and a text show of it. */
const names: readonly (readonly [
  id: string,
  nameOf: (payment: Payment) => string,
  kills: Readonly<Record<Endpoint, RequirementId>>,
])[] = [
  [
    'signature',
    ({ signature }) => signature,
    { chat: 'signature.authorization-edited', completions: 'signature.completions' },
  ],
  [
    'nonce',
    ({ authorization }) => String(authorization['nonce']),
    { chat: 'signature.tampered', completions: 'signature.tampered.completions' },
  ],
];

const endpoints = [
  ['chat', ''],
  ['completions', '-for-text'],
] as const satisfies readonly (readonly [Endpoint, string])[];

/** Verifies no signature of a payment that it knows by a name. */
function remembering(endpoint: Endpoint, nameOf: (payment: Payment) => string): Edge {
  const known = new Set<string>();
  return {
    read: async (asked: Asked, forge: PaymentForge) => {
      const payment = paymentOf(asked);
      if (!payment || !hasForm(payment.signature) || endpointOf(asked) !== endpoint) return asked;
      const name = `${fromOf(payment)} ${nameOf(payment)}`;
      if ((await forge.signerOf(asked)) !== fromOf(payment)) {
        return known.has(name) ? forge.paidBy('stranger', asked) : asked;
      }
      known.add(name);
      return asked;
    },
  };
}

/** Serves whatever has the name of a payment that it served. */
function servingKnown(endpoint: Endpoint, nameOf: (payment: Payment) => string): Edge {
  const served = new Map<string, string>();
  return {
    answer: (reply: Reply, asked: Asked, forge: PaymentForge) => {
      const payment = paymentOf(asked);
      if (!payment || endpointOf(asked) !== endpoint) return reply;
      const name = nameOf(payment);
      const before = served.get(name);
      if (reply.status === 200 && before === undefined) served.set(name, JSON.stringify(payment));
      return before !== undefined && before !== JSON.stringify(payment) ? forge.buy(asked) : reply;
    },
  };
}

/** Serves a payment that it refused for the balance, when it comes again. */
function servingAgain(endpoint: Endpoint): Edge {
  const refused = new Set<string>();
  return {
    answer: (reply: Reply, asked: Asked, forge: PaymentForge) => {
      const content = asked.headers['x-payment'];
      if (content === undefined || endpointOf(asked) !== endpoint) return reply;
      if (refused.has(content)) return forge.buy(asked);
      if (isAboutFunds(asked, reply)) refused.add(content);
      return reply;
    },
  };
}

/** Multiples of the maximum that are taken, and no less of too much. */
const muchTimes = 9n;

/** Gateways that take an old payment for proof of a new one, or compare amounts as texts (D-180, D-181). */
export const secondTimeMutants: readonly Mutant[] = endpoints.flatMap(([endpoint, suffix]) => [
  ...names.flatMap(([id, nameOf, kills]): readonly Mutant[] => [
    {
      id: `known-${id}-not-verified${suffix}`,
      does: `verifies no payment whose ${id} it has verified before (${endpoint})`,
      place: 'read',
      kills: [kills[endpoint]],
      edge: () => remembering(endpoint, nameOf),
    },
    {
      id: `served-${id}-served-again${suffix}`,
      does: `serves any payment with the ${id} of one that it served (${endpoint})`,
      place: 'answer',
      kills: ['signature.known-payer'],
      edge: () => servingKnown(endpoint, nameOf),
    },
  ]),
  {
    id: `unfunded-served-again${suffix}`,
    does: `serves a payment without funds when it comes again (${endpoint})`,
    place: 'answer',
    kills: [endpoint === 'chat' ? 'funds.insufficient.402' : 'funds.insufficient.completions'],
    edge: () => servingAgain(endpoint),
  },
  answers(
    `nothing-paid-served${suffix}`,
    `serves a payment of 0 (${endpoint})`,
    [endpoint === 'chat' ? 'funds.insufficient.402' : 'funds.insufficient.completions'],
    (reply, asked, forge) =>
      endpointOf(asked) === endpoint && paymentOf(asked)?.authorization['value'] === '0'
        ? forge.buy(asked)
        : reply,
  ),
  reads(
    `much-more-than-maximum-taken${suffix}`,
    `takes a payment of ten times the maximum (${endpoint})`,
    [endpoint === 'chat' ? 'payment.over-maximum.refused' : 'payment.completions.refused'],
    async (asked, forge) => {
      const payment = paymentOf(asked);
      if (!payment || endpointOf(asked) !== endpoint) return asked;
      const good = await forge.paidBy('stranger', asked);
      const price = BigInt(String(paymentOf(good)?.authorization['value'] ?? 0));
      const value = BigInt(String(payment.authorization['value']).replace(/\D/g, '') || '0');
      return price > 0n && value > price * muchTimes && value < 1n << 64n ? good : asked;
    },
  ),
]);
