import { randomBytes } from 'node:crypto';
import { concat, hexlify, keccak256, SigningKey, TypedDataEncoder } from 'ethers';
import { expect, it } from 'vitest';
import { useFastSignatures } from './fast-signatures.ts';

const types = {
  Transfer: [
    { name: 'from', type: 'address' },
    { name: 'value', type: 'uint256' },
  ],
};
const message = { from: `0x${'1b'.repeat(20)}`, value: '7' };
const domain = { name: 'Token', version: '1', chainId: 1 };
it('signs and recovers the same bytes as ethers', () => {
  const samples = Array.from({ length: 50 }, () => {
    const [key, digest] = [new SigningKey(randomBytes(32)), hexlify(randomBytes(32))];
    return { key, digest, signature: key.sign(digest).serialized };
  });
  const recover = () =>
    samples.map(({ digest, signature }) => SigningKey.recoverPublicKey(digest, signature));
  const [byEthers, publicKeys] = [recover(), samples.map(({ key }) => key.publicKey)];
  const [sign] = [SigningKey.prototype.sign];
  useFastSignatures();
  expect(SigningKey.prototype.sign).not.toBe(sign);
  expect(samples.map(({ key, digest }) => key.sign(digest).serialized)).toEqual(
    samples.map(({ signature }) => signature),
  );
  expect(recover()).toEqual(byEthers);
  expect(byEthers).toEqual(publicKeys);
});

it('rejects a signature that fits no public key, as ethers does', () => {
  useFastSignatures();
  const signature = { r: hexlify(new Uint8Array(32)), s: hexlify(new Uint8Array(32).fill(1)), v: 27 };
  expect(() => SigningKey.recoverPublicKey(hexlify(randomBytes(32)), signature)).toThrow();
});

/** The fields of a domain, in the order of EIP-712. */
const domainTypes = [
  { name: 'name', type: 'string' },
  { name: 'version', type: 'string' },
  { name: 'chainId', type: 'uint256' },
];

it.each([
  ['again', types, domain],
  ['with another type', { Move: types.Transfer }, domain],
  ['with other fields', { Transfer: types.Transfer.toReversed() }, domain],
  ['for another chain', types, { ...domain, chainId: 2 }],
  ['for a chain beyond JSON', types, { ...domain, chainId: 2n ** 200n }],
  ['without a version', types, { name: 'Token', chainId: 1 }],
  ['with a version of null', types, { ...domain, version: null }],
])('hashes typed data %s like a new encoder', (_, fields, over) => {
  const present = domainTypes.filter(({ name }) =>
    Object.entries(over).some(([own, value]) => own === name && value !== null),
  );
  const domainHash = new TypedDataEncoder({ EIP712Domain: present }).hashStruct('EIP712Domain', over);
  const expected = keccak256(concat(['0x1901', domainHash, new TypedDataEncoder(fields).hash(message)]));
  useFastSignatures();
  for (const times of [1, 2]) expect(TypedDataEncoder.hash(over, fields, message), `${times}`).toBe(expected);
});

it('rejects a domain that ethers rejects, also after a valid one', () => {
  useFastSignatures();
  TypedDataEncoder.hash({ ...domain, salt: null }, types, message);
  expect(() => TypedDataEncoder.hash({ ...domain, chainId: Number.NaN }, types, message)).toThrow();
});
