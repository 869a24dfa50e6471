import {
  concat,
  getBytes,
  hashMessage,
  keccak256,
  type TypedDataDomain,
  TypedDataEncoder,
  toBeHex,
  ZeroAddress,
} from 'ethers';
import type { JudgedId } from '../../context/check.ts';
import type { Offer } from '../../payment/offer.ts';
import { namingTerms } from '../../payment/own-terms.ts';
import { fields, type Twist, type TypedData } from '../../payment/sign.ts';
import type { SignatureFault } from './signature-fault.ts';

type DomainField = Exclude<keyof TypedDataDomain, 'salt'>;

/**
 * Parts of the domain that are signed alone: each single part, the parts that name the token, and the parts
 * that locate it. Other faults leave out one part each (D-156).
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

/** USDC on Base and on Base Sepolia, which examples of x402 use. */
const usdc = [
  '0x833589fcd6edb6e08f4c7c32d4f71b54bda02913',
  '0x036cbd53842c5426634e7929541ec2318f3dcf7e',
] as const;

/**
 * Signatures over other typed data than that of §4.4, and signatures of other schemes (§5). The throw-away key
 * makes them, and the token accepts none.
 */
export const otherTypedData: readonly SignatureFault[] = [
  ...without('signature.domain.name', 'name'),
  ...without('signature.domain.version', 'version'),
  ...without('signature.domain.chainId', 'chainId'),
  ...without('signature.domain.verifyingContract', 'verifyingContract'),
  ...withOthers('signature.domain.name', 'name', ['', 'USD Coin', 'USDC'], ({ domainName }) => domainName),
  fault('signature.domain.name', 'for the name of the domain in the other letter case', ({ domainName }) => {
    const others = [domainName.toLowerCase(), domainName.toUpperCase(), strange.name];
    return { name: others.find((name) => name !== domainName) ?? strange.name };
  }),
  ...withOthers('signature.domain.version', 'version', ['', '2'], ({ domainVersion }) => domainVersion),
  ...withOthers('signature.domain.chainId', 'chainId', [1, 8453, 31_337, 11_155_111], () => undefined),
  // The forms of x402 name the network too. Only the chain of the contract counts (§4.4).
  ...Object.entries({
    'x402 v1': { x402Version: 1, scheme: 'exact', network: 'base' },
    'x402 v2': { x402Version: 2, accepted: { scheme: 'exact', network: 'eip155:8453' } },
  }).map(
    ([form, beside]): SignatureFault => ({
      requirement: 'signature.domain.chainId',
      words: `A signature for chain 8453 in a payment that names this chain (${form})`,
      spoil: () => ({ twist: { domain: (domain) => ({ ...domain, chainId: 8453 }) }, beside }),
      hasMore: true,
    }),
  ),
  ...withOthers(
    'signature.domain.verifyingContract',
    'verifyingContract',
    [ZeroAddress, ...usdc],
    ({ asset }) => asset.toLowerCase(),
  ),
  {
    requirement: 'signature.domain.verifyingContract',
    words: 'A signature for another token, which the payment names in `accepted`,',
    spoil: (offer) => ({
      twist: { verifyingContract: strange.verifyingContract },
      beside: namingTerms(offer, { asset: strange.verifyingContract }),
    }),
    hasMore: true,
  },
  {
    requirement: 'signature.domain.name',
    words: 'A signature for another name and version, which the payment names in `accepted`,',
    spoil: (offer) => ({
      twist: { domain: (domain) => ({ ...domain, ...strangeToken }) },
      beside: namingTerms(offer, { extra: strangeToken }),
    }),
    hasMore: true,
  },
  // Domains of USDC, which a gateway may have as a default.
  ...['USDC', 'USD Coin'].map((name) =>
    fault(
      'signature.domain.name',
      `for the domain \`${name}\`, version 2, of this token`,
      ({ domainName, domainVersion }) =>
        domainName === name && domainVersion === '2' ? { name, version: '1' } : { name, version: '2' },
    ),
  ),
  fault('signature.domain.verifyingContract', 'for USDC on Base', () => ({
    domain: () => ({ name: 'USD Coin', version: '2', chainId: 8453, verifyingContract: usdc[0] }),
  })),
  fault('signature.domain.verifyingContract', 'for USDC on Base Sepolia', ({ asset }) => ({
    domain: (domain) =>
      asset.toLowerCase() === usdc[1]
        ? { ...domain, verifyingContract: usdc[0] }
        : { ...domain, name: 'USDC', version: '2', verifyingContract: usdc[1] },
  })),
  fault(
    'signature.domain.verifyingContract',
    'for the recipient as `verifyingContract` of the domain',
    ({ asset, payTo }) => ({
      // Never the token itself, which would be valid.
      verifyingContract: payTo.toLowerCase() === asset.toLowerCase() ? ZeroAddress : payTo.toLowerCase(),
    }),
  ),
  fault('signature.scheme', 'for a domain with an additional `salt`', () => ({
    domain: (domain) => ({ ...domain, salt: `0x${'00'.repeat(32)}` }),
  })),
  fault('signature.domain.chainId', 'for a domain with `salt` in place of `chainId`', () => ({
    domain: ({ chainId, ...rest }) => ({ ...rest, salt: toBeHex(chainId ?? 0, 32) }),
  })),
  fault('signature.scheme', 'for an empty domain', () => ({ domain: () => ({}) })),
  ...someOfDomain.map((names) =>
    fault(
      'signature.scheme',
      `for a domain with only ${names.map((name) => `\`${name}\``).join(' and ')}`,
      () => ({
        domain: (domain) => only(domain, names),
      }),
    ),
  ),
  fault('signature.primary-type', 'over the fields in another order', () => ({
    fields: fields.toReversed(),
  })),
  fault('signature.primary-type', 'over fields of smaller types', ({ maxAmountRequired }) => ({
    // A price of 249 bits or more has no smaller type.
    fields: fields.map(({ name, type }) =>
      type === 'uint256' && (name !== 'value' || maxAmountRequired < 2n ** 248n)
        ? { name, type: 'uint248' }
        : { name, type },
    ),
  })),
  fault('signature.primary-type', 'over fields without the window', () => ({
    fields: fields.filter(({ name }) => !name.startsWith('valid')),
  })),
  fault('signature.primary-type', 'over fields without the nonce', () => ({
    fields: fields.filter(({ name }) => name !== 'nonce'),
  })),
  fault('signature.primary-type', 'over the same fields as a `Permit`', () => ({ primaryType: 'Permit' })),
  fault('signature.primary-type', 'over the cancellation of the authorization', () => ({
    scheme: (wallet, { domain, message }) =>
      wallet.signTypedData(domain, cancellation, { authorizer: message['from'], nonce: message['nonce'] }),
  })),
  fault('signature.primary-type', 'over a permit of the same amount (EIP-2612)', () => ({
    scheme: (wallet, { domain, message: { from, to, value, validBefore } }) =>
      // No payer without transactions has used a permit, so the next number is 0.
      wallet.signTypedData(domain, permit, {
        owner: from,
        spender: to,
        value,
        nonce: 0,
        deadline: validBefore,
      }),
  })),
  personal('the digest', ({ domain, types, message }) =>
    getBytes(TypedDataEncoder.hash(domain, types, message)),
  ),
  personal('the digest in hex', ({ domain, types, message }) =>
    TypedDataEncoder.hash(domain, types, message),
  ),
  personal('the JSON of the authorization', ({ sent }) => JSON.stringify(sent)),
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

const permit = {
  Permit: [
    { name: 'owner', type: 'address' },
    { name: 'spender', type: 'address' },
    { name: 'value', type: 'uint256' },
    { name: 'nonce', type: 'uint256' },
    { name: 'deadline', type: 'uint256' },
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

/**
 * Values that a gateway may have hard-coded. A value that is the offer's own is replaced by an unused value.
 */
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

const strangeToken = { name: strange.name, version: strange.version };

/** A signature as wallets make for text (EIP-191). */
function personal(what: string, content: (data: TypedData) => string | Uint8Array): SignatureFault {
  return raw(`a message with ${what}`, (data) => hashMessage(content(data)));
}

/** A signature of 32 arbitrary bytes. */
function raw(what: string, digest: (data: TypedData) => string): SignatureFault {
  return fault('signature.scheme', `of ${what}`, () => ({
    scheme: (wallet, data) => wallet.signingKey.sign(digest(data)).serialized,
  }));
}

function structHash({ types, message }: TypedData): string {
  return TypedDataEncoder.from(types).hash(message);
}
