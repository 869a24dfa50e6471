import { computeAddress as addressByEthers, getAddress, isAddress } from 'ethers';
import { expect, test } from 'vitest';
import { randomValues, testSeed } from '../testing/chain/random-values.ts';
import type { Bytes32 } from '../types/units.ts';
import { toHex } from './bytes.ts';
import { computeAddress, curve, parseChecksummedAddress } from './curve.ts';
import { ethersCurve } from './ethers-curve.ts';

const seed = testSeed();
const random = randomValues(seed);
const order = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n;
const key = (value: bigint) => `0x${value.toString(16).padStart(64, '0')}` as Bytes32;
const bytes = (hex: string) => Buffer.from(hex.slice(2), 'hex');

test(`libsecp256k1 and ethers return the same keys, signatures and addresses (seed ${seed})`, () => {
  const edges = [1n, 2n, order / 2n, order - 2n, order - 1n].map(key);
  for (const secret of [...edges, ...Array.from({ length: 50 }, () => random.bytes32())]) {
    const digest = random.bytes(32);
    for (const compressed of [true, false])
      expect(toHex(curve.publicKeyCreate(bytes(secret), compressed))).toBe(
        toHex(ethersCurve.publicKeyCreate(bytes(secret), compressed)),
      );
    const [signed, other] = [curve, ethersCurve].map((each) => each.ecdsaSign(digest, bytes(secret)));
    expect(signed && toHex(signed.signature)).toBe(other && toHex(other.signature));
    expect(signed?.recid).toBe(other?.recid);
    expect(computeAddress(secret)).toBe(addressByEthers(secret).toLowerCase());
  }
});

test('Both accept the same private keys', () => {
  for (const value of [0n, 1n, order - 1n, order, order + 1n, 2n ** 256n - 1n]) {
    const expected = value > 0n && value < order;
    for (const each of [curve, ethersCurve]) expect(each.privateKeyVerify(bytes(key(value)))).toBe(expected);
  }
});

test(`parseChecksummedAddress accepts the addresses that ethers accepts with 0x (seed ${seed})`, () => {
  for (let round = 0; round < 200; round++) {
    const address = random.address();
    const right = getAddress(address);
    const upper = `0x${address.slice(2).toUpperCase()}`;
    const at = 2 + random.below(40);
    const digit = right.charAt(at);
    const swapped = digit === digit.toLowerCase() ? digit.toUpperCase() : digit.toLowerCase();
    const wrong = right.slice(0, at) + swapped + right.slice(at + 1);
    for (const text of [address, right, upper, wrong, address.slice(0, -1), `${address}0`, `${address}\n`])
      expect(parseChecksummedAddress(text), text).toBe(isAddress(text) ? address : null);
  }
});
