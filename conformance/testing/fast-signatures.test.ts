import { randomBytes } from 'node:crypto';
import { createRequire } from 'node:module';
import * as ethers from 'ethers';
import { expect, it } from 'vitest';
import { useFastSignatures } from './fast-signatures.ts';

const { hexlify, SigningKey, TypedDataEncoder } = ethers;
/** A second copy of ethers, which no test changes: other files of this worker may have made the first one fast. */
const unchanged: typeof ethers = createRequire(import.meta.url)('ethers');

const types = {
  Transfer: [
    { name: 'from', type: 'address' },
    { name: 'value', type: 'uint256' },
  ],
};
const message = { from: `0x${'1b'.repeat(20)}`, value: '7' };
const domain = { name: 'Token', version: '1', chainId: 1 };
it('signs and recovers the same bytes as ethers', () => {
  useFastSignatures();
  expect(SigningKey.prototype.sign).not.toBe(unchanged.SigningKey.prototype.sign);
  for (let times = 0; times < 50; times++) {
    const [secret, digest] = [randomBytes(32), hexlify(randomBytes(32))];
    const slow = new unchanged.SigningKey(secret);
    const { serialized } = slow.sign(digest);
    expect(new SigningKey(secret).sign(digest).serialized).toBe(serialized);
    expect(SigningKey.recoverPublicKey(digest, serialized)).toBe(slow.publicKey);
    expect(unchanged.SigningKey.recoverPublicKey(digest, serialized)).toBe(slow.publicKey);
  }
});

it('rejects a signature that fits no public key, as ethers does', () => {
  useFastSignatures();
  const signature = { r: hexlify(new Uint8Array(32)), s: hexlify(new Uint8Array(32).fill(1)), v: 27 };
  expect(() => SigningKey.recoverPublicKey(hexlify(randomBytes(32)), signature)).toThrow();
});

it.each([
  ['again', types, domain],
  ['with another type', { Move: types.Transfer }, domain],
  ['with other fields', { Transfer: types.Transfer.toReversed() }, domain],
  ['for another chain', types, { ...domain, chainId: 2 }],
  ['for a chain beyond JSON', types, { ...domain, chainId: 2n ** 200n }],
  ['without a version', types, { name: 'Token', chainId: 1 }],
  ['with a version of null', types, { ...domain, version: null }],
])('hashes typed data %s like a new encoder', (_, fields, over) => {
  const expected = unchanged.TypedDataEncoder.hash(over, fields, message);
  useFastSignatures();
  for (const times of [1, 2]) expect(TypedDataEncoder.hash(over, fields, message), `${times}`).toBe(expected);
});

it('rejects a domain that ethers rejects, also after a valid one', () => {
  useFastSignatures();
  TypedDataEncoder.hash({ ...domain, salt: null }, types, message);
  expect(() => TypedDataEncoder.hash({ ...domain, chainId: Number.NaN }, types, message)).toThrow();
});
