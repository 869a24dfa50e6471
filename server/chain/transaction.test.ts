import { computeAddress, Transaction } from 'ethers';
import { expect, test } from 'vitest';
import { type Bytes32, type Hex, parseAddress } from '../types/units.ts';
import { randomValues, testSeed } from './random-values.ts';
import { signTransaction } from './transaction.ts';

const seed = testSeed();
const random = randomValues(seed);
const unsigned = {
  chainId: 84_532,
  nonce: 7,
  to: random.address(),
  data: '0x1234' as Hex,
  gasLimit: 150_000n,
  maxFeePerGas: 2_000_000_000n,
  maxPriorityFeePerGas: 1_000_000n,
};

test(`A signed transaction carries what it was given, from the key's address, under the hash told (seed ${seed})`, () => {
  const key = random.bytes32();
  const { raw, hash } = signTransaction(key, unsigned);
  const read = Transaction.from(raw);
  expect(read.hash).toBe(hash);
  expect(read.from).toBe(computeAddress(key));
  expect(parseAddress(read.to ?? '')).toBe(unsigned.to);
  expect(read.type).toBe(2);
  expect(read.chainId).toBe(84_532n);
  expect(read).toMatchObject({
    nonce: 7,
    data: '0x1234',
    value: 0n,
    gasLimit: 150_000n,
    maxFeePerGas: 2_000_000_000n,
    maxPriorityFeePerGas: 1_000_000n,
  });
});

test('The same transaction is signed to the same bytes, so that sending it again is not sending another', () => {
  const key = random.bytes32();
  expect(signTransaction(key, unsigned)).toEqual(signTransaction(key, unsigned));
  expect(signTransaction(key, { ...unsigned, nonce: 8 })).not.toEqual(signTransaction(key, unsigned));
});

test('A key that is none is refused, and the refusal does not repeat it', () => {
  for (const key of [`0x${'00'.repeat(32)}`, '0xdeadbeefdeadbeef']) {
    const attempt = () => signTransaction(key as Bytes32, unsigned);
    expect(attempt).toThrow();
    expect(attempt).not.toThrow(key.slice(2));
  }
});
