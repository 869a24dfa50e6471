import { keccak256 } from 'ethers';
import { expect, test } from 'vitest';
import { randomValues, testSeed } from '../testing/chain/random-values.ts';
import { toHex } from './bytes.ts';
import { createKeccak } from './keccak.ts';

const seed = testSeed();
const keccak = await createKeccak();

test(`Keccak agrees with ethers for the lengths around a block and around the WASM buffer (seed ${seed})`, () => {
  const random = randomValues(seed);
  for (const length of [0, 1, 32, 66, 135, 136, 137, 224, 272, 16_383, 16_384, 16_385, 100_000]) {
    const bytes = random.bytes(length);
    expect(toHex(keccak(bytes)), `${length} bytes`).toBe(keccak256(bytes));
  }
});

test('The next hash does not overwrite the last', () => {
  const first = keccak(Buffer.from('first'));
  const kept = toHex(first);
  keccak(Buffer.from('second'));
  expect(toHex(first)).toBe(kept);
});

test('The hash covers the bytes of the view, not its whole buffer', () => {
  const whole = Buffer.from('xxinsidexx');
  expect(toHex(keccak(whole.subarray(2, 8)))).toBe(keccak256(Buffer.from('inside')));
});
