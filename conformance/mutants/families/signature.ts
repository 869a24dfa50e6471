import type { RequirementId } from '@paid-inference/contract/requirements';
import type { TypedDataDomain } from 'ethers';
import type { Asked, Edge } from '../edge.ts';
import { replying } from '../edits.ts';
import type { House, Reading } from '../house.ts';
import { answers, type Mutant } from '../mutant.ts';
import { type Endpoint, encoded, endpointOf, type Json, paymentOf } from '../wire-edits.ts';

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
  [
    'nonce-not-verified',
    'does not verify the last byte of the nonce',
    'signature.authorization-edited',
    { authorization: (signed) => ({ ...signed, nonce: lastByteFlipped(String(signed['nonce'])) }) },
  ],
];

function withOtherContract(domain: TypedDataDomain): TypedDataDomain {
  return { ...domain, verifyingContract: lastByteFlipped(String(domain.verifyingContract)) };
}

function lastByteFlipped(hex: string): string {
  const byte = Number.parseInt(hex.slice(-2), 16) ^ 0xff;
  return hex.slice(0, -2) + byte.toString(16).padStart(2, '0');
}

/** With a byte of `r` changed back, which the suite has changed. */
const untampered: Reading = {
  signature: (text) => {
    const byte = Number.parseInt(text.slice(20, 22), 16) ^ 0xff;
    return text.slice(0, 20) + byte.toString(16).padStart(2, '0') + text.slice(22);
  },
};

function fromOf(payment: { readonly authorization: Json } | undefined): string {
  return String(payment?.authorization['from']).toLowerCase();
}

/** Takes for good, and finds without funds, what is signed by its `from` when it is read so. */
function taking(reading: Reading, endpoint?: Endpoint): NonNullable<Edge['read']> {
  return async (asked, house) => {
    const payment = paymentOf(asked);
    if (!payment || (endpoint !== undefined && endpointOf(asked) !== endpoint)) return asked;
    const signer = await house.signerOf(asked, reading);
    return signer === fromOf(payment) ? house.paidBy('stranger', asked) : asked;
  };
}

export const signatureMutants: readonly Mutant[] = [
  ...readings.map(
    ([id, does, kills, reading]): Mutant => ({
      id,
      does,
      place: 'read',
      kills: [kills],
      edge: () => ({ read: taking(reading) }),
    }),
  ),
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
    does: 'takes a payment that somebody else signed whom it knows',
    place: 'read',
    kills: ['signature.other-signer'],
    edge: () => {
      const known = new Set<string>();
      return {
        read: async (asked: Asked, house: House) => {
          const payment = paymentOf(asked);
          if (!payment) return asked;
          const signer = await house.signerOf(asked);
          const isAnother = signer !== fromOf(payment) && signer !== undefined && known.has(signer);
          known.add(fromOf(payment));
          return isAnother ? house.paidBy('stranger', asked) : asked;
        },
      };
    },
  },
  {
    id: 'signatures-not-verified',
    does: 'verifies no signature at all',
    place: 'read',
    kills: ['signature.tampered'],
    edge: () => ({ read: takingAll }),
  },
  answers(
    'bad-signature-as-403',
    'answers 403 to a bad signature',
    signatureIds(),
    replying((reply) => (reply.status === 401 ? { ...reply, status: 403 } : reply)),
  ),
  answers(
    'bad-signature-as-402',
    'answers a bad signature with its offer again',
    signatureIds(),
    replying((reply) =>
      reply.status === 401
        ? {
            status: 402,
            headers: { 'Content-Type': 'application/json', 'X-PAYMENT-REQUIRED': encoded({}) },
            text: '{}',
          }
        : reply,
    ),
  ),
];

/** A payer with funds is charged whoever signed, and a stranger has none. */
async function takingAll(asked: Asked, house: House): Promise<Asked> {
  const payment = paymentOf(asked);
  if (!payment || (await house.signerOf(asked)) === fromOf(payment)) return asked;
  return house.paidBy(fromOf(payment) === house.payer ? 'payer' : 'stranger', asked);
}

function signatureIds(): readonly RequirementId[] {
  return [
    'signature.tampered',
    'signature.tampered.completions',
    'signature.other-signer',
    ...readings.map(([, , kills]) => kills),
  ];
}
