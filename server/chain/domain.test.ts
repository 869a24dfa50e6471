import { TypedDataEncoder } from 'ethers';
import { describe, expect, test } from 'vitest';
import { randomValues, testSeed } from '../testing/chain/random-values.ts';
import { toHex } from './bytes.ts';
import { createAuthorizationHasher } from './domain.ts';
import { createKeccak } from './keccak.ts';
import type { TypedField } from './typed-data.ts';

/** The members that contract §4.4 lists. */
const authorizationFields = [
  { name: 'from', type: 'address' },
  { name: 'to', type: 'address' },
  { name: 'value', type: 'uint256' },
  { name: 'validAfter', type: 'uint256' },
  { name: 'validBefore', type: 'uint256' },
  { name: 'nonce', type: 'bytes32' },
];

const seed = testSeed();
const keccak = await createKeccak();
const hasher = createAuthorizationHasher({ keccak, authorizationFields });

test(`Domain separators and digests agree with ethers for random domains and authorizations (seed ${seed})`, () => {
  const random = randomValues(seed);
  for (let round = 0; round < 200; round++) {
    const domain = {
      name: `Token ${random.bytes(random.below(40)).toString('hex')} ü€`,
      version: String(random.below(10)),
      chainId: 1 + random.below(2 ** 31),
      verifyingContract: random.address(),
    };
    const authorization = random.authorization();
    const separator = hasher.domainSeparator(domain);
    expect(separator).toBe(TypedDataEncoder.hashDomain(domain));
    expect(toHex(hasher.authorizationDigest(separator, authorization))).toBe(
      TypedDataEncoder.hash(domain, { TransferWithAuthorization: authorizationFields }, authorization),
    );
  }
});

test('The next digest does not overwrite the last', () => {
  const random = randomValues(1);
  const separator = random.bytes32();
  const digest = hasher.authorizationDigest(separator, random.authorization());
  const kept = toHex(digest);
  hasher.authorizationDigest(separator, random.authorization());
  expect(toHex(digest)).toBe(kept);
});

test('A time outside uint256 throws', () => {
  const random = randomValues(2);
  const authorization = random.authorization();
  const separator = random.bytes32();
  for (const validAfter of [-1n, 1n << 256n]) {
    expect(() => hasher.authorizationDigest(separator, { ...authorization, validAfter })).toThrow('uint256');
  }
});

describe('createAuthorizationHasher throws when', () => {
  const [first, ...others] = authorizationFields;
  const cases: [string, (TypedField | undefined)[]][] = [
    ['a member is missing', others],
    ['a member is there twice', [others[0], ...others]],
    ['a member has another type', [{ name: 'from', type: 'bytes20' }, ...others]],
    ['a member is unknown', [first, ...others, { name: 'memo', type: 'string' }]],
  ];
  test.each(cases)('%s', (_name, fields) => {
    const list = fields.filter((field) => field !== undefined);
    expect(() => createAuthorizationHasher({ keccak, authorizationFields: list })).toThrow(
      'TransferWithAuthorization',
    );
  });
});
