import type { RequirementId } from '@paid-inference/contract/requirements';
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
import { type Mutant, reads } from '../mutant.ts';
import { fields, type ReadData, type Reading } from '../payment-forge.ts';
import { findEndpoint, isObject, type Json, objectIn, readPayment } from '../wire-edits.ts';
import { readPayer, taking } from './signature.ts';

type Row = readonly [id: string, does: string, kills: RequirementId, reading: Reading];

const inDomain = {
  name: 'signature.domain.name',
  version: 'signature.domain.version',
  chainId: 'signature.domain.chainId',
  verifyingContract: 'signature.domain.verifyingContract',
} as const satisfies Partial<Record<keyof TypedDataDomain, RequirementId>>;
type Field = keyof typeof inDomain;

function without(field: Field): Row {
  return [
    `no-${field.toLowerCase()}-taken`,
    `accepts a signature over a domain without \`${field}\``,
    inDomain[field],
    { domain: ({ [field]: _, ...rest }) => rest },
  ];
}

function withOnly(...names: readonly Field[]): Row {
  return [
    `domain-of-${names.join('-and-').toLowerCase()}-taken`,
    `accepts a signature over a domain with only ${names.map((name) => `\`${name}\``).join(' and ')}`,
    'signature.scheme',
    {
      domain: (domain) =>
        Object.fromEntries(Object.entries(domain).filter(([name]) => names.some((each) => each === name))),
    },
  ];
}

function withValue(id: string, field: Field, value: string | number): Row {
  return [
    `${id}-taken`,
    `accepts a signature over a domain with ${JSON.stringify(value)} as \`${field}\``,
    inDomain[field],
    { domain: (domain) => ({ ...domain, [field]: value }) },
  ];
}

/** USDC on Base and on Base Sepolia. */
const usdc = [
  '0x833589fcd6edb6e08f4c7c32d4f71b54bda02913',
  '0x036cbd53842c5426634e7929541ec2318f3dcf7e',
] as const;

/** A domain that a gateway may have as its default. */
function whole(
  id: string,
  other: TypedDataDomain,
  kills: RequirementId = 'signature.domain.verifyingContract',
): Row {
  return [
    `${id}-taken`,
    `accepts a signature over a domain with ${JSON.stringify(other)}`,
    kills,
    { domain: (domain) => ({ ...domain, ...other }) },
  ];
}

function scheme(id: string, what: string, digest: (data: ReadData) => string): Row {
  return [`${id}-taken`, `accepts a signature of ${what}`, 'signature.scheme', { digest }];
}

function over(id: string, what: string, reading: Reading): Row {
  return [`${id}-taken`, `accepts a signature over ${what}`, 'signature.primary-type', reading];
}

const hashTypedData = ({ domain, types, message }: ReadData) => TypedDataEncoder.hash(domain, types, message);
const hashStruct = ({ types, message }: ReadData) => TypedDataEncoder.from(types).hash(message);
const cancellation = {
  CancelAuthorization: [
    { name: 'authorizer', type: 'address' },
    { name: 'nonce', type: 'bytes32' },
  ],
};

const permit = {
  Permit: [
    ...['owner', 'spender'].map((name) => ({ name, type: 'address' })),
    ...['value', 'nonce', 'deadline'].map((name) => ({ name, type: 'uint256' })),
  ],
};

/** Accepted signatures over other typed data, and of other schemes (contract 4.4, 5). */
const rows: readonly Row[] = [
  without('name'),
  without('version'),
  without('chainId'),
  without('verifyingContract'),
  withValue('empty-name', 'name', ''),
  withValue('usd-coin', 'name', 'USD Coin'),
  withValue('usdc', 'name', 'USDC'),
  [
    'small-letters-taken',
    'accepts a signature over a domain with the name in lower case',
    'signature.domain.name',
    { domain: (domain) => ({ ...domain, name: domain.name?.toLowerCase() ?? null }) },
  ],
  withValue('empty-version', 'version', ''),
  withValue('version-2', 'version', '2'),
  withValue('chain-1', 'chainId', 1),
  withValue('chain-8453', 'chainId', 8453),
  withValue('chain-31337', 'chainId', 31_337),
  withValue('chain-11155111', 'chainId', 11_155_111),
  withValue('zero-address', 'verifyingContract', ZeroAddress),
  withValue('usdc-of-base', 'verifyingContract', usdc[0]),
  withValue('usdc-of-base-sepolia', 'verifyingContract', usdc[1]),
  whole('usdc-2', { name: 'USDC', version: '2' }, 'signature.domain.name'),
  whole('usd-coin-2', { name: 'USD Coin', version: '2' }, 'signature.domain.name'),
  whole('usdc-on-base', { name: 'USD Coin', version: '2', chainId: 8453, verifyingContract: usdc[0] }),
  whole('usdc-on-base-sepolia', { name: 'USDC', version: '2', verifyingContract: usdc[1] }),
  [
    'salted-domain-taken',
    'accepts a signature over a domain with a `salt`',
    'signature.scheme',
    { domain: (domain) => ({ ...domain, salt: `0x${'00'.repeat(32)}` }) },
  ],
  [
    'salt-for-chain-taken',
    'accepts a signature over a domain with the chain as `salt` in place of `chainId`',
    'signature.domain.chainId',
    { domain: ({ chainId, ...rest }) => ({ ...rest, salt: toBeHex(chainId ?? 0, 32) }) },
  ],
  withOnly('name'),
  withOnly('version'),
  withOnly('name', 'version'),
  withOnly('chainId', 'verifyingContract'),
  ['no-domain-taken', 'accepts a signature over an empty domain', 'signature.scheme', { domain: () => ({}) }],
  over('fields-backwards', 'the fields in reverse order', { fields: fields.toReversed() }),
  over('small-integers', 'integers of type uint248', {
    fields: fields.map(({ name, type }) => ({ name, type: type === 'uint256' ? 'uint248' : type })),
  }),
  over('no-window', 'fields without `validAfter` and `validBefore`', {
    fields: fields.filter(({ name }) => !name.startsWith('valid')),
  }),
  over('no-nonce', 'fields without `nonce`', { fields: fields.filter(({ name }) => name !== 'nonce') }),
  over('permits-by-name', 'the same fields as a `Permit`', { primaryType: 'Permit' }),
  over('cancellations', 'the `CancelAuthorization` of the same nonce', {
    digest: ({ domain, message }) =>
      TypedDataEncoder.hash(domain, cancellation, { authorizer: message['from'], nonce: message['nonce'] }),
  }),
  over('permits', 'the `Permit` of the same amount (EIP-2612)', {
    digest: ({ domain, message: { from, to, value, validBefore } }) =>
      TypedDataEncoder.hash(domain, permit, {
        owner: from,
        spender: to,
        value,
        nonce: 0,
        deadline: validBefore,
      }),
  }),
  scheme('personal-digest', 'a personal message (EIP-191) with the digest', (data) =>
    hashMessage(getBytes(hashTypedData(data))),
  ),
  scheme('personal-hex', 'a personal message (EIP-191) with the digest in hex', (data) =>
    hashMessage(hashTypedData(data)),
  ),
  scheme('personal-json', 'a personal message (EIP-191) with the JSON of the authorization', ({ sent }) =>
    hashMessage(JSON.stringify(sent)),
  ),
  scheme('struct-alone', 'the struct hash without a domain', hashStruct),
  scheme('no-prefix', 'domain and struct hash without the EIP-712 prefix', (data) =>
    keccak256(concat([TypedDataEncoder.hashDomain(data.domain), hashStruct(data)])),
  ),
];

const endpoints = [
  ['chat', ''],
  ['completions', '-for-text'],
] as const;

/** Whether a payment names chain 8453 beside its `payload`, in this form of x402. */
const namesChain: Readonly<Record<string, (payment: Json) => boolean>> = {
  v1: ({ network }) => network === 'base',
  v2: ({ accepted }) => isObject(accepted) && accepted['network'] === 'eip155:8453',
};

/** Comparisons of a part of two addresses. */
const nearSigners: Readonly<
  Record<string, readonly [does: string, isNear: (signer: string, payer: string) => boolean]>
> = {
  'signers-by-first-bytes': [
    'the first bytes',
    (signer, payer) => signer.slice(0, 10) === payer.slice(0, 10),
  ],
  'signers-by-last-bytes': ['the last bytes', (signer, payer) => signer.slice(-8) === payer.slice(-8)],
};

export const typedDataMutants: readonly Mutant[] = endpoints.flatMap(([endpoint, suffix]) => [
  ...(['asset', 'extra'] as const).map((named) =>
    reads(
      `${named === 'asset' ? 'token' : 'domain'}-named-taken${suffix}`,
      `verifies a signature for the \`${named}\` that the payment names in \`accepted\` (${endpoint})`,
      [
        endpoint === 'completions'
          ? 'signature.completions'
          : named === 'asset'
            ? 'signature.domain.verifyingContract'
            : 'signature.domain.name',
      ],
      async (asked, forge) => {
        const accepted = objectIn(asked.headers['x-payment'])?.['accepted'];
        const value = isObject(accepted) ? accepted[named] : undefined;
        const isOwn = (await forge.recoverSigner(asked)) === readPayer(readPayment(asked));
        // A right signature stays, so that all other terms are still checked.
        if (value === undefined || isOwn) return asked;
        const parts = isObject(value) ? value : { verifyingContract: value };
        return taking({ domain: (own) => ({ ...own, ...parts }) }, endpoint)(asked, forge);
      },
    ),
  ),
  ...Object.entries(nearSigners).map(([id, [does, isNear]]) =>
    reads(
      `${id}-taken${suffix}`,
      `accepts a signature by a key whose address has only ${does} of \`from\` (${endpoint})`,
      [endpoint === 'chat' ? 'signature.other-signer' : 'signature.completions'],
      async (asked, forge) => {
        const payment = readPayment(asked);
        if (!payment || findEndpoint(asked) !== endpoint) return asked;
        const [signer, payer] = [await forge.recoverSigner(asked), readPayer(payment)];
        const isOther = signer !== undefined && signer !== payer && isNear(signer, payer);
        return isOther ? forge.paidBy('stranger', asked) : asked;
      },
    ),
  ),
  ...rows.map(([id, does, kills, reading]) =>
    reads(
      `${id}${suffix}`,
      `${does} (${endpoint})`,
      [endpoint === 'chat' ? kills : 'signature.completions'],
      taking(reading, endpoint),
    ),
  ),
  ...Object.entries(namesChain).map(([form, isNamed]) =>
    reads(
      `chain-named-in-${form}-taken${suffix}`,
      `verifies a signature for the chain that the payment names, in the form of x402 ${form} (${endpoint})`,
      [endpoint === 'chat' ? 'signature.domain.chainId' : 'signature.completions'],
      (asked, forge) => {
        const payment = objectIn(asked.headers['x-payment']);
        const domain = (own: TypedDataDomain) => ({ ...own, chainId: 8453 });
        return payment && isNamed(payment) ? taking({ domain }, endpoint)(asked, forge) : asked;
      },
    ),
  ),
]);
