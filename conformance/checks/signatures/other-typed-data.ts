import {
  concat,
  getBytes,
  hashMessage,
  keccak256,
  type TypedDataDomain,
  TypedDataEncoder,
  ZeroAddress,
} from 'ethers';
import type { JudgedId } from '../../context/check.ts';
import type { Offer } from '../../payment/offer.ts';
import { fields, type Twist, type TypedData } from '../../payment/sign.ts';
import type { SignatureFault } from './signature-fault.ts';

type DomainField = Exclude<keyof TypedDataDomain, 'salt'>;

/**
 * Each part of the domain alone, what names the token, and what tells where it is. Each three parts are a domain without one, and four
 * are the right one (D-156).
 */
const someOfDomain: readonly (readonly DomainField[])[] = [
  ['name'],
  ['version'],
  ['chainId'],
  ['verifyingContract'],
  ['name', 'version'],
  ['chainId', 'verifyingContract'],
];

function only(domain: TypedDataDomain, names: readonly DomainField[]): TypedDataDomain {
  return Object.fromEntries(Object.entries(domain).filter(([name]) => names.some((each) => each === name)));
}

/**
 * Signatures over other typed data than contract 4.4 has, and signatures of another scheme (5). The throw-away key makes them,
 * and the token takes none of them.
 */
export const otherTypedData: readonly SignatureFault[] = [
  ...without('signature.domain.name', 'name'),
  ...without('signature.domain.version', 'version'),
  ...without('signature.domain.chainId', 'chainId'),
  ...without('signature.domain.verifyingContract', 'verifyingContract'),
  ...withOthers('signature.domain.name', 'name', ['', 'USD Coin', 'USDC'], ({ domainName }) => domainName),
  ...withOthers('signature.domain.version', 'version', ['', '2'], ({ domainVersion }) => domainVersion),
  ...withOthers('signature.domain.chainId', 'chainId', [1, 8453, 31_337], () => undefined),
  ...withOthers(
    'signature.domain.verifyingContract',
    'verifyingContract',
    [ZeroAddress],
    ({ asset }) => asset,
  ),
  fault(
    'signature.domain.verifyingContract',
    'for the recipient as `verifyingContract` of the domain',
    ({ asset, payTo }) => ({
      // Never the token itself, whatever an offer names.
      verifyingContract: payTo.toLowerCase() === asset.toLowerCase() ? ZeroAddress : payTo.toLowerCase(),
    }),
  ),
  fault('signature.scheme', 'for a domain with a `salt` too', () => ({
    domain: (domain) => ({ ...domain, salt: `0x${'00'.repeat(32)}` }),
  })),
  fault('signature.scheme', 'for a domain without any field', () => ({ domain: () => ({}) })),
  ...someOfDomain.map((names) =>
    fault(
      'signature.scheme',
      `for a domain of ${names.map((name) => `\`${name}\``).join(' and ')} alone`,
      () => ({
        domain: (domain) => only(domain, names),
      }),
    ),
  ),
  fault('signature.primary-type', 'over the fields in another order', () => ({
    fields: fields.toReversed(),
  })),
  fault('signature.primary-type', 'over fields of smaller types', () => ({
    fields: fields.map(({ name, type }) => ({ name, type: type === 'uint256' ? 'uint128' : type })),
  })),
  fault('signature.primary-type', 'over fields without the window', () => ({
    fields: fields.filter(({ name }) => !name.startsWith('valid')),
  })),
  fault('signature.primary-type', 'over the cancellation of the authorization', () => ({
    scheme: (wallet, { domain, message }) =>
      wallet.signTypedData(domain, cancellation, { authorizer: message['from'], nonce: message['nonce'] }),
  })),
  personal('the digest', ({ domain, types, message }) =>
    getBytes(TypedDataEncoder.hash(domain, types, message)),
  ),
  personal('the digest in hex', ({ domain, types, message }) =>
    TypedDataEncoder.hash(domain, types, message),
  ),
  personal('the JSON of the authorization', ({ message }) => JSON.stringify(message)),
  raw('the struct alone', (data) => structHash(data)),
  raw('domain and struct without the prefix of EIP-712', (data) =>
    keccak256(concat([TypedDataEncoder.hashDomain(data.domain), structHash(data)])),
  ),
];

const cancellation = {
  CancelAuthorization: [
    { name: 'authorizer', type: 'address' },
    { name: 'nonce', type: 'bytes32' },
  ],
};

function fault(requirement: JudgedId, words: string, twist: (offer: Offer) => Twist): SignatureFault {
  return { requirement, words: `A signature ${words}`, spoil: (offer) => ({ twist: twist(offer) }) };
}

function without(requirement: JudgedId, field: DomainField): readonly SignatureFault[] {
  return [
    fault(requirement, `for a domain without \`${field}\``, () => ({
      domain: ({ [field]: _, ...rest }) => rest,
    })),
  ];
}

/** Values that a gateway may have been written for. One that is the offer's own is exchanged for a value of nobody. */
function withOthers(
  requirement: JudgedId,
  field: DomainField,
  values: readonly (string | number)[],
  own: (offer: Offer) => unknown,
): readonly SignatureFault[] {
  return values.map((value) =>
    fault(requirement, `for ${JSON.stringify(value)} as \`${field}\` of the domain`, (offer) => ({
      [field]: value === own(offer) ? strange[field] : value,
    })),
  );
}

const strange = {
  name: 'Nobody',
  version: '99',
  chainId: 999_999,
  verifyingContract: `0x${'99'.repeat(20)}`,
} as const satisfies Record<DomainField, string | number>;

/** Signed as a text is signed in a wallet (EIP-191). */
function personal(what: string, content: (data: TypedData) => string | Uint8Array): SignatureFault {
  return raw(`a message with ${what}`, (data) => hashMessage(content(data)));
}

/** A signature of any 32 bytes. */
function raw(what: string, digest: (data: TypedData) => string): SignatureFault {
  return fault('signature.scheme', `of ${what}`, () => ({
    scheme: (wallet, data) => wallet.signingKey.sign(digest(data)).serialized,
  }));
}

function structHash({ types, message }: TypedData): string {
  return TypedDataEncoder.from(types).hash(message);
}
