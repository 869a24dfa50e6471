import { randomBytes } from 'node:crypto';
import { hexlify, SigningKey } from 'ethers';
import { expect, it } from 'vitest';
import { useNativeCurve } from './native-curve.ts';

it('signs and recovers the same bytes as ethers', () => {
  const samples = Array.from({ length: 50 }, () => {
    const [key, digest] = [new SigningKey(randomBytes(32)), hexlify(randomBytes(32))];
    return { key, digest, signature: key.sign(digest).serialized };
  });
  const recover = () =>
    samples.map(({ digest, signature }) => SigningKey.recoverPublicKey(digest, signature));
  const [byEthers, publicKeys] = [recover(), samples.map(({ key }) => key.publicKey)];
  const [sign] = [SigningKey.prototype.sign];
  useNativeCurve();
  expect(SigningKey.prototype.sign).not.toBe(sign);
  expect(samples.map(({ key, digest }) => key.sign(digest).serialized)).toEqual(
    samples.map(({ signature }) => signature),
  );
  expect(recover()).toEqual(byEthers);
  expect(byEthers).toEqual(publicKeys);
});

it('rejects a signature that fits no public key, as ethers does', () => {
  useNativeCurve();
  const signature = { r: hexlify(new Uint8Array(32)), s: hexlify(new Uint8Array(32).fill(1)), v: 27 };
  expect(() => SigningKey.recoverPublicKey(hexlify(randomBytes(32)), signature)).toThrow();
});
