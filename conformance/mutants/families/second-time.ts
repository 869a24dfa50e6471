import type { RequirementId } from '@paid-inference/contract/requirements';
import type { Edge } from '../edge.ts';
import { isAboutFunds } from '../edits.ts';
import type { Asked, Reply } from '../message.ts';
import { type Mutant, reads, responds } from '../mutant.ts';
import type { PaymentForge } from '../payment-forge.ts';
import { type Endpoint, findEndpoint, readPayment } from '../wire-edits.ts';
import { hasForm, readPayer } from './signature.ts';

type Payment = NonNullable<ReturnType<typeof readPayment>>;

const editedKills = {
  chat: 'signature.authorization-edited',
  completions: 'signature.completions',
} as const satisfies Readonly<Record<Endpoint, RequirementId>>;

/** Fields by which a mutant recognizes a payment, with the requirement that each endpoint breaks. */
const names: readonly (readonly [
  id: string,
  readName: (payment: Payment) => string,
  kills: Readonly<Record<Endpoint, readonly RequirementId[]>>,
])[] = [
  [
    'signature',
    ({ signature }) => signature,
    { chat: [editedKills.chat], completions: [editedKills.completions] },
  ],
  [
    'nonce',
    ({ authorization }) => String(authorization['nonce']),
    {
      chat: ['signature.authorization-edited', 'signature.tampered'],
      completions: ['signature.completions', 'signature.tampered.completions'],
    },
  ],
];

const endpoints = [
  ['chat', ''],
  ['completions', '-for-text'],
] as const satisfies readonly (readonly [Endpoint, string])[];

/** Skips verification of a payment whose field it has verified for the same payer. */
function remembering(endpoint: Endpoint, readName: (payment: Payment) => string): Edge {
  const known = new Set<string>();
  return {
    read: async (asked: Asked, forge: PaymentForge) => {
      const payment = readPayment(asked);
      if (!payment || !hasForm(payment.signature) || findEndpoint(asked) !== endpoint) return asked;
      const name = `${readPayer(payment)} ${readName(payment)}`;
      if ((await forge.recoverSigner(asked)) !== readPayer(payment)) {
        return known.has(name) ? forge.paidBy('stranger', asked) : asked;
      }
      known.add(name);
      return asked;
    },
  };
}

/** Serves any other payment that shares the field with a payment that was served. */
function servingKnown(endpoint: Endpoint, readName: (payment: Payment) => string): Edge {
  const served = new Map<string, string>();
  return {
    respond: (reply: Reply, asked: Asked, forge: PaymentForge) => {
      const payment = readPayment(asked);
      if (!payment || findEndpoint(asked) !== endpoint) return reply;
      const name = readName(payment);
      const before = served.get(name);
      if (reply.status === 200 && before === undefined) served.set(name, JSON.stringify(payment));
      return before !== undefined && before !== JSON.stringify(payment) ? forge.buy(asked) : reply;
    },
  };
}

/** Serves a payment when it is sent again after a 402 insufficient_funds. */
function servingAgain(endpoint: Endpoint): Edge {
  const refused = new Set<string>();
  return {
    respond: (reply: Reply, asked: Asked, forge: PaymentForge) => {
      const content = asked.headers['x-payment'];
      if (content === undefined || findEndpoint(asked) !== endpoint) return reply;
      if (refused.has(content)) return forge.buy(asked);
      if (isAboutFunds(asked, reply)) refused.add(content);
      return reply;
    },
  };
}

/** Verifies the signature over a term of its own offer, whatever the payment says (D-438). */
function overTheOffer(endpoint: Endpoint, name: 'to' | 'value'): NonNullable<Edge['read']> {
  return async (asked, forge) => {
    const payment = readPayment(asked);
    if (!payment || findEndpoint(asked) !== endpoint || !hasForm(payment.signature)) return asked;
    const good = await forge.paidBy('stranger', asked);
    const offered = readPayment(good)?.authorization[name];
    if (String(payment.authorization[name]).toLowerCase() === offered) return asked;
    const signer = await forge.recoverSigner(asked, {
      authorization: (said) => ({ ...said, [name]: offered }),
    });
    return signer === readPayer(payment) ? good : asked;
  };
}

const recipientKills: Readonly<Record<Endpoint, readonly RequirementId[]>> = {
  chat: ['payment.other-recipient.refused'],
  completions: ['payment.completions.refused'],
};

/** Accepts a payment to another recipient than `payTo` if both have the same part. */
function withNearRecipient(
  endpoint: Endpoint,
  readPart: (address: string) => string,
): NonNullable<Edge['read']> {
  return async (asked, forge) => {
    const payment = readPayment(asked);
    if (!payment || findEndpoint(asked) !== endpoint || !hasForm(payment.signature)) return asked;
    if ((await forge.recoverSigner(asked)) !== readPayer(payment)) return asked;
    const good = await forge.paidBy('stranger', asked);
    const [sent, payTo] = [readRecipient(asked), readRecipient(good)];
    return sent !== payTo && readPart(sent) === readPart(payTo) ? good : asked;
  };
}

function readRecipient(asked: Asked): string {
  return String(readPayment(asked)?.authorization['to']).toLowerCase();
}

/** Only a value above this multiple of the price is accepted. */
const muchTimes = 9n;

/** Mutants that trust an earlier payment, or that compare amounts as text or recipients in part (D-180, D-181, D-250). */
export const secondTimeMutants: readonly Mutant[] = [
  {
    id: 'signer-taken-for-payer',
    does: 'takes the account that signed a payment for its payer, whatever `from` is',
    place: 'read',
    kills: ['signature.known-payer'],
    edge: () => ({
      read: async (asked, forge) => {
        const payment = readPayment(asked);
        if (!payment || !hasForm(payment.signature)) return asked;
        const signer = await forge.recoverSigner(asked);
        const isAnother = signer !== undefined && signer !== readPayer(payment);
        return isAnother ? forge.paidBy(signer === forge.payer ? 'payer' : 'stranger', asked) : asked;
      },
    }),
  },
  ...endpoints.flatMap(([endpoint, suffix]): readonly Mutant[] => [
    ...names.flatMap(([id, readName, kills]): readonly Mutant[] => [
      {
        id: `known-${id}-not-verified${suffix}`,
        does: `does not verify a payment whose ${id} it has verified for the same payer before (${endpoint})`,
        place: 'read',
        kills: kills[endpoint],
        edge: () => remembering(endpoint, readName),
      },
      {
        id: `served-${id}-served-again${suffix}`,
        does: `serves any payment with the ${id} of a payment that it has served (${endpoint})`,
        place: 'respond',
        kills: ['signature.known-payer'],
        edge: () => servingKnown(endpoint, readName),
      },
    ]),
    {
      id: `unfunded-served-again${suffix}`,
      does: `serves a payment that is sent again after 402 insufficient_funds (${endpoint})`,
      place: 'respond',
      kills: [endpoint === 'chat' ? 'funds.insufficient.402' : 'funds.insufficient.completions'],
      edge: () => servingAgain(endpoint),
    },
    responds(
      `nothing-paid-served${suffix}`,
      `serves a payment with \`value\` 0 (${endpoint})`,
      [endpoint === 'chat' ? 'funds.insufficient.402' : 'funds.insufficient.completions'],
      (reply, asked, forge) =>
        findEndpoint(asked) === endpoint && readPayment(asked)?.authorization['value'] === '0'
          ? forge.buy(asked)
          : reply,
    ),
    ...(['to', 'value'] as const).map((name) =>
      reads(
        `${name}-of-the-offer-verified${suffix}`,
        `verifies a signature over the offered \`${name}\` instead of that of the payment (${endpoint})`,
        [editedKills[endpoint]],
        overTheOffer(endpoint, name),
      ),
    ),
    reads(
      `first-bytes-of-recipient-compared${suffix}`,
      `compares only the first four bytes of the recipient (${endpoint})`,
      recipientKills[endpoint],
      withNearRecipient(endpoint, (address) => address.slice(0, 10)),
    ),
    reads(
      `last-bytes-of-recipient-compared${suffix}`,
      `compares only the last four bytes of the recipient (${endpoint})`,
      recipientKills[endpoint],
      withNearRecipient(endpoint, (address) => address.slice(-8)),
    ),
    reads(
      `much-more-than-maximum-taken${suffix}`,
      `accepts a payment above nine times \`maxAmountRequired\` (${endpoint})`,
      [endpoint === 'chat' ? 'payment.over-maximum.refused' : 'payment.completions.refused'],
      async (asked, forge) => {
        const payment = readPayment(asked);
        if (!payment || findEndpoint(asked) !== endpoint) return asked;
        const good = await forge.paidBy('stranger', asked);
        const price = BigInt(String(readPayment(good)?.authorization['value'] ?? 0));
        const value = BigInt(String(payment.authorization['value']).replace(/\D/g, '') || '0');
        return price > 0n && value > price * muchTimes && value < 1n << 64n ? good : asked;
      },
    ),
  ]),
];
