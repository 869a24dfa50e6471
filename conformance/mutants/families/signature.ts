import type { RequirementId } from '@paid-inference/contract/requirements';
import type { Edge } from '../edge.ts';
import { replying } from '../edits.ts';
import type { Asked, Reply } from '../message.ts';
import { type Mutant, reads, responds } from '../mutant.ts';
import type { PaymentForge, Reading } from '../payment-forge.ts';
import {
  type Endpoint,
  findEndpoint,
  isObject,
  isPaid,
  type Json,
  lastByteFlipped,
  objectIn,
  oneUnitLess,
  readPayment,
} from '../wire-edits.ts';

/** Accepted signatures over other data than the contract demands (contract 4.4). */
const readings: readonly (readonly [id: string, does: string, kills: RequirementId, reading: Reading])[] = [
  [
    'another-domain-name-taken',
    'accepts a signature over a domain with another `name`',
    'signature.domain.name',
    { domain: (domain) => ({ ...domain, name: `${domain.name} Two` }) },
  ],
  [
    'another-domain-version-taken',
    'accepts a signature over a domain with another `version`',
    'signature.domain.version',
    { domain: (domain) => ({ ...domain, version: `${domain.version}0` }) },
  ],
  [
    'another-chain-taken',
    'accepts a signature over a domain with `chainId` 84533',
    'signature.domain.chainId',
    { domain: (domain) => ({ ...domain, chainId: 84_533 }) },
  ],
  [
    'another-token-taken',
    'accepts a signature over a domain with another `verifyingContract`',
    'signature.domain.verifyingContract',
    {
      domain: (domain) => ({
        ...domain,
        verifyingContract: lastByteFlipped(String(domain.verifyingContract)),
      }),
    },
  ],
  [
    'another-primary-type-taken',
    'accepts a signature over the primary type `ReceiveWithAuthorization`',
    'signature.primary-type',
    { primaryType: 'ReceiveWithAuthorization' },
  ],
  // Each field alone, changed by the smallest possible difference.
  unverified('nonce', 'a nonce that differs in its last byte', (nonce) => lastByteFlipped(String(nonce))),
  unverified('to', 'a recipient that differs in its last byte', (to) => lastByteFlipped(String(to))),
  unverified('value', 'a value one unit lower', oneUnitLess),
  unverified('valid-after', 'a `validAfter` one second earlier', (at) => Number(at) - 1, 'validAfter'),
  unverified('valid-before', 'a `validBefore` one second earlier', (at) => Number(at) - 1, 'validBefore'),
];

function unverified(
  id: string,
  what: string,
  signedFor: (sent: unknown) => unknown,
  field = id,
): (typeof readings)[number] {
  return [
    `${id}-not-verified`,
    `accepts a signature over ${what}`,
    'signature.authorization-edited',
    { authorization: (sent) => ({ ...sent, [field]: signedFor(sent[field]) }) },
  ];
}

/** Undoes the change that the suite makes to one byte of `r`. */
export const untampered: Reading = {
  signature: (text) => {
    const byte = Number.parseInt(text.slice(20, 22), 16) ^ 0xff;
    return text.slice(0, 20) + byte.toString(16).padStart(2, '0') + text.slice(22);
  },
};

export function readPayer(payment: { readonly authorization: Json } | undefined): string {
  return String(payment?.authorization['from']).toLowerCase();
}

/** Accepts a payment that `from` signed under the reading. The edge pays from an account without funds. */
export function taking(reading: Reading, endpoint: Endpoint): NonNullable<Edge['read']> {
  return async (asked, forge) => {
    const payment = readPayment(asked);
    if (!payment || findEndpoint(asked) !== endpoint) return asked;
    const signer = await forge.recoverSigner(asked, reading);
    return signer === readPayer(payment) ? forge.paidBy('stranger', asked) : asked;
  };
}

/** Accepts a payment without a verified signature, by the form of its signature alone. */
export function takingUnsigned(
  endpoint: Endpoint,
  isAccepted: (signature: unknown) => boolean,
): NonNullable<Edge['read']> {
  return (asked, forge) => {
    const payload = objectIn(asked.headers['x-payment'])?.['payload'];
    const isWhole = isObject(payload) && isObject(payload['authorization']);
    return isWhole && findEndpoint(asked) === endpoint && isAccepted(payload['signature'])
      ? forge.paidBy('stranger', asked)
      : asked;
  };
}

/** Accepts a payment signed by another account that has sent a payment before. */
function takingOthers(endpoint: Endpoint): () => Edge {
  return () => {
    const known = new Set<string>();
    return {
      read: async (asked: Asked, forge: PaymentForge) => {
        const payment = readPayment(asked);
        if (!payment || !hasForm(payment.signature)) return asked;
        const signer = await forge.recoverSigner(asked);
        const isOther = signer !== readPayer(payment) && readPayer(payment) !== forge.payer;
        const isAnother = isOther && signer !== undefined && known.has(signer);
        known.add(readPayer(payment));
        return isAnother && findEndpoint(asked) === endpoint ? forge.paidBy('stranger', asked) : asked;
      },
    };
  };
}

/** Whether a signature has 65 bytes in hex. A gateway may reject any other form as a missing payment. */
export function hasForm(signature: string): boolean {
  return /^0x[0-9a-f]{130}$/i.test(signature);
}

export const signatureEndpoints = [
  ['chat', ''],
  ['completions', '-for-text'],
] as const;

export const signatureMutants: readonly Mutant[] = [
  ...signatureEndpoints.flatMap(([endpoint, suffix]) => [
    ...readings.map(([id, does, kills, reading]) =>
      reads(
        `${id}${suffix}`,
        `${does} (${endpoint})`,
        [endpoint === 'chat' ? kills : 'signature.completions'],
        taking(reading, endpoint),
      ),
    ),
    reads(
      `missing-signature-taken${suffix}`,
      `accepts a payment without a signature (${endpoint})`,
      ['signature.missing'],
      takingUnsigned(endpoint, (signature) => signature === undefined),
    ),
    reads(
      `empty-signature-taken${suffix}`,
      `accepts a payment with an empty signature (${endpoint})`,
      ['signature.missing'],
      takingUnsigned(endpoint, (signature) => signature === ''),
    ),
  ]),
  {
    id: 'tampered-signature-taken-for-completions',
    does: 'accepts a signature with one byte of `r` changed (completions)',
    place: 'read',
    kills: ['signature.tampered.completions'],
    edge: () => ({ read: taking(untampered, 'completions') }),
  },
  {
    id: 'tampered-signature-taken',
    does: 'accepts a signature with one byte of `r` changed (chat)',
    place: 'read',
    kills: ['signature.tampered'],
    edge: () => ({ read: taking(untampered, 'chat') }),
  },
  {
    id: 'signatures-of-others-taken',
    does: 'accepts a payment of an unfunded payer signed by an account that has sent a payment before (chat)',
    place: 'read',
    kills: ['signature.other-signer'],
    edge: takingOthers('chat'),
  },
  {
    id: 'signatures-of-others-taken-for-text',
    does: 'accepts a payment of an unfunded payer signed by an account that has sent a payment before (completions)',
    place: 'read',
    kills: ['signature.completions'],
    edge: takingOthers('completions'),
  },
  {
    id: 'signatures-not-verified-for-text',
    does: 'does not verify the signatures of payments for text completions',
    place: 'read',
    kills: [
      'signature.completions',
      'signature.missing',
      'signature.tampered.completions',
      'signature.known-payer',
    ],
    edge: () => ({
      read: (asked: Asked, forge: PaymentForge) =>
        findEndpoint(asked) === 'completions' ? takingAll(asked, forge) : asked,
    }),
  },
  {
    id: 'signatures-not-verified',
    does: 'does not verify signatures',
    place: 'read',
    kills: [...signatureIds(), 'signature.missing'],
    edge: () => ({ read: takingAll }),
  },
  responds(
    'bad-signature-as-403',
    'returns 403 instead of 401 for an invalid signature',
    signatureIds(),
    replying((reply) => (reply.status === 401 ? { ...reply, status: 403 } : reply), { when: isSigned }),
  ),
  {
    id: 'bad-signature-as-402',
    does: 'returns 402 with its offer instead of 401 for an invalid signature',
    place: 'respond',
    kills: signatureIds(),
    edge: () => {
      const paymentsRequired = new Map<Endpoint | undefined, Reply>();
      return {
        respond: (reply, asked) => {
          const endpoint = findEndpoint(asked);
          if (reply.status === 402 && !isPaid(asked)) paymentsRequired.set(endpoint, reply);
          return reply.status === 401 && isSigned(asked) ? (paymentsRequired.get(endpoint) ?? reply) : reply;
        },
      };
    },
  },
];

function isSigned(asked: Asked): boolean {
  return hasForm(readPayment(asked)?.signature ?? '');
}

/** Accepts any signature. The edge pays from the payer with funds, or from an account without funds. */
export async function takingAll(asked: Asked, forge: PaymentForge): Promise<Asked> {
  const payment = readPayment(asked);
  if (!payment || (await forge.recoverSigner(asked)) === readPayer(payment)) return asked;
  return forge.paidBy(readPayer(payment) === forge.payer ? 'payer' : 'stranger', asked);
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
