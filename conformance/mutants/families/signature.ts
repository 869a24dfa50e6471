import type { RequirementId } from '@paid-inference/contract/requirements';
import type { TypedDataDomain } from 'ethers';
import type { Edge } from '../edge.ts';
import { replying } from '../edits.ts';
import type { Asked, Reply } from '../message.ts';
import { answers, type Mutant, reads } from '../mutant.ts';
import type { PaymentForge, Reading } from '../payment-forge.ts';
import {
  type Endpoint,
  endpointOf,
  isObject,
  isPaid,
  type Json,
  objectIn,
  paymentOf,
} from '../wire-edits.ts';

/** Signatures that are taken though they are over something else than the contract says (contract 4.4). */
const readings: readonly (readonly [id: string, does: string, kills: RequirementId, reading: Reading])[] = [
  [
    'another-domain-name-taken',
    'takes signatures for a token of another name',
    'signature.domain.name',
    { domain: (domain) => ({ ...domain, name: `${domain.name} Two` }) },
  ],
  [
    'another-domain-version-taken',
    'takes signatures for another version of the token',
    'signature.domain.version',
    { domain: (domain) => ({ ...domain, version: `${domain.version}0` }) },
  ],
  [
    'another-chain-taken',
    'takes signatures for the next chain',
    'signature.domain.chainId',
    { domain: (domain) => ({ ...domain, chainId: 84_533 }) },
  ],
  [
    'another-token-taken',
    'takes signatures for another token',
    'signature.domain.verifyingContract',
    { domain: withOtherContract },
  ],
  [
    'another-primary-type-taken',
    'takes signatures that let the recipient fetch the tokens',
    'signature.primary-type',
    { primaryType: 'ReceiveWithAuthorization' },
  ],
  // Each field by itself, to the least that it can differ by.
  unverified('nonce', 'the last byte of the nonce', (nonce) => lastByteFlipped(String(nonce))),
  unverified('to', 'the last byte of the recipient', (to) => lastByteFlipped(String(to))),
  unverified('value', 'the value to the unit', (value) => String(BigInt(String(value)) - 1n)),
  unverified('valid-after', 'the second in which a payment begins', (at) => Number(at) - 1, 'validAfter'),
  unverified('valid-before', 'the second in which a payment ends', (at) => Number(at) - 1, 'validBefore'),
];

function unverified(
  id: string,
  what: string,
  signedFor: (sent: unknown) => unknown,
  field = id,
): (typeof readings)[number] {
  return [
    `${id}-not-verified`,
    `does not verify ${what}`,
    'signature.authorization-edited',
    { authorization: (sent) => ({ ...sent, [field]: signedFor(sent[field]) }) },
  ];
}

function withOtherContract(domain: TypedDataDomain): TypedDataDomain {
  return { ...domain, verifyingContract: lastByteFlipped(String(domain.verifyingContract)) };
}

function lastByteFlipped(hex: string): string {
  const byte = Number.parseInt(hex.slice(-2), 16) ^ 0xff;
  return hex.slice(0, -2) + byte.toString(16).padStart(2, '0');
}

/** With a byte of `r` changed back, which the suite has changed. */
export const untampered: Reading = {
  signature: (text) => {
    const byte = Number.parseInt(text.slice(20, 22), 16) ^ 0xff;
    return text.slice(0, 20) + byte.toString(16).padStart(2, '0') + text.slice(22);
  },
};

export function fromOf(payment: { readonly authorization: Json } | undefined): string {
  return String(payment?.authorization['from']).toLowerCase();
}

/** Takes for good, and finds without funds, what is signed by its `from` when it is read so. */
export function taking(reading: Reading, endpoint: Endpoint): NonNullable<Edge['read']> {
  return async (asked, forge) => {
    const payment = paymentOf(asked);
    if (!payment || endpointOf(asked) !== endpoint) return asked;
    const signer = await forge.signerOf(asked, reading);
    return signer === fromOf(payment) ? forge.paidBy('stranger', asked) : asked;
  };
}

/** Takes for good what nobody has signed. */
export function takingUnsigned(
  endpoint: Endpoint,
  isAccepted: (signature: unknown) => boolean,
): NonNullable<Edge['read']> {
  return (asked, forge) => {
    const payload = objectIn(asked.headers['x-payment'])?.['payload'];
    const isWhole = isObject(payload) && isObject(payload['authorization']);
    return isWhole && endpointOf(asked) === endpoint && isAccepted(payload['signature'])
      ? forge.paidBy('stranger', asked)
      : asked;
  };
}

/** Takes what somebody else signed whose payment it has seen before. */
function takingOthers(endpoint: Endpoint): () => Edge {
  return () => {
    const known = new Set<string>();
    return {
      read: async (asked: Asked, forge: PaymentForge) => {
        const payment = paymentOf(asked);
        if (!payment || !hasForm(payment.signature)) return asked;
        const signer = await forge.signerOf(asked);
        const isAnother = signer !== fromOf(payment) && signer !== undefined && known.has(signer);
        known.add(fromOf(payment));
        return isAnother && endpointOf(asked) === endpoint ? forge.paidBy('stranger', asked) : asked;
      },
    };
  };
}

/** Verifies who signed only until that payer was served so often: from then on the name is enough. */
function trustingServed(endpoint: Endpoint, times: number): () => Edge {
  return () => {
    const served = new Map<string, number>();
    return {
      read: async (asked: Asked, forge: PaymentForge) => {
        const payment = paymentOf(asked);
        const isKnown = (served.get(fromOf(payment)) ?? 0) >= times && endpointOf(asked) === endpoint;
        if (!payment || !isKnown || (await forge.signerOf(asked)) === fromOf(payment)) return asked;
        return forge.paidBy(fromOf(payment) === forge.payer ? 'payer' : 'stranger', asked);
      },
      answer: (reply, asked) => {
        const from = fromOf(paymentOf(asked));
        if (reply.status === 200) served.set(from, (served.get(from) ?? 0) + 1);
        return reply;
      },
    };
  };
}

/** Whether a signature is one by its form: what is none may also be refused as no payment at all. */
export function hasForm(signature: string): boolean {
  return /^0x[0-9a-f]{130}$/i.test(signature);
}

const endpoints = [
  ['chat', '', 'of a chat'],
  ['completions', '-for-text', 'of a text'],
] as const;

const trusts = [
  ['known-payers-not-verified', 1, 'once'],
  ['well-known-payers-not-verified', 5, 'five times'],
] as const;

export const signatureMutants: readonly Mutant[] = [
  ...endpoints.flatMap(([endpoint, suffix, words]) => [
    ...readings.map(([id, does, kills, reading]) =>
      reads(
        `${id}${suffix}`,
        `${does}, ${words}`,
        [endpoint === 'chat' ? kills : 'signature.completions'],
        taking(reading, endpoint),
      ),
    ),
    reads(
      `missing-signature-taken${suffix}`,
      `takes the payment ${words} that has no signature`,
      ['signature.missing'],
      takingUnsigned(endpoint, (signature) => signature === undefined),
    ),
    reads(
      `empty-signature-taken${suffix}`,
      `takes the payment ${words} whose signature is empty`,
      ['signature.missing'],
      takingUnsigned(endpoint, (signature) => signature === ''),
    ),
  ]),
  {
    id: 'tampered-signature-taken-for-completions',
    does: 'does not verify signatures of text completions to the last byte',
    place: 'read',
    kills: ['signature.tampered.completions'],
    edge: () => ({ read: taking(untampered, 'completions') }),
  },
  {
    id: 'tampered-signature-taken',
    does: 'does not verify signatures of chats to the last byte',
    place: 'read',
    kills: ['signature.tampered'],
    edge: () => ({ read: taking(untampered, 'chat') }),
  },
  {
    id: 'signatures-of-others-taken',
    does: 'takes a payment of a chat that somebody else signed whom it knows',
    place: 'read',
    kills: ['signature.other-signer'],
    edge: takingOthers('chat'),
  },
  {
    id: 'signatures-of-others-taken-for-text',
    does: 'takes a payment of a text that somebody else signed whom it knows',
    place: 'read',
    kills: ['signature.completions'],
    edge: takingOthers('completions'),
  },
  ...endpoints.flatMap(([endpoint, suffix, words]) =>
    trusts.map(
      ([id, times, often]): Mutant => ({
        id: `${id}${suffix}`,
        does: `takes any payment ${words} in the name of a payer whom it has served ${often}`,
        place: 'read',
        kills: ['signature.known-payer'],
        edge: trustingServed(endpoint, times),
      }),
    ),
  ),
  {
    id: 'signatures-not-verified-for-text',
    does: 'verifies signatures of chats alone',
    place: 'read',
    kills: [
      'signature.completions',
      'signature.missing',
      'signature.tampered.completions',
      'signature.known-payer',
    ],
    edge: () => ({
      read: (asked: Asked, forge: PaymentForge) =>
        endpointOf(asked) === 'completions' ? takingAll(asked, forge) : asked,
    }),
  },
  {
    id: 'signatures-not-verified',
    does: 'verifies no signature at all',
    place: 'read',
    kills: [...signatureIds(), 'signature.missing'],
    edge: () => ({ read: takingAll }),
  },
  answers(
    'bad-signature-as-403',
    'answers 403 to a bad signature',
    signatureIds(),
    replying((reply) => (reply.status === 401 ? { ...reply, status: 403 } : reply), { when: isSigned }),
  ),
  {
    id: 'bad-signature-as-402',
    does: 'answers a bad signature with its offer again',
    place: 'answer',
    kills: signatureIds(),
    edge: () => {
      const paymentsRequired = new Map<Endpoint | undefined, Reply>();
      return {
        answer: (reply, asked) => {
          const endpoint = endpointOf(asked);
          if (reply.status === 402 && !isPaid(asked)) paymentsRequired.set(endpoint, reply);
          return reply.status === 401 && isSigned(asked) ? (paymentsRequired.get(endpoint) ?? reply) : reply;
        },
      };
    },
  },
];

function isSigned(asked: Asked): boolean {
  return hasForm(paymentOf(asked)?.signature ?? '');
}

/** A payer with funds is charged whoever signed, and a stranger has none. */
async function takingAll(asked: Asked, forge: PaymentForge): Promise<Asked> {
  const payment = paymentOf(asked);
  if (!payment || (await forge.signerOf(asked)) === fromOf(payment)) return asked;
  return forge.paidBy(fromOf(payment) === forge.payer ? 'payer' : 'stranger', asked);
}

export function signatureIds(): readonly RequirementId[] {
  return [
    'signature.tampered',
    'signature.tampered.completions',
    'signature.completions',
    'signature.other-signer',
    'signature.known-payer',
    ...new Set(readings.map(([, , kills]) => kills)),
    'signature.scheme',
    'signature.malformed',
  ];
}
