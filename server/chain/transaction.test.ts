import { computeAddress, Transaction } from 'ethers';
import { expect, test } from 'vitest';
import { randomValues, testSeed } from '../testing/chain/random-values.ts';
import { type Address, type Bytes32, type Hex, parseAddress } from '../types/units.ts';
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

test(`signTransaction signs the given fields with the key, and returns the transaction's hash (seed ${seed})`, () => {
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

test('signTransaction returns the bytes that ethers returns (RFC 6979)', () => {
  const key = `0x${'1f'.repeat(32)}` as Bytes32;
  const { raw } = signTransaction(key, { ...unsigned, to: `0x${'22'.repeat(20)}` as Address });
  // Wallet.signTransaction of ethers 6 returned this text.
  const expected = [
    '0x02f86f83014a3407830f42408477359400830249f094222222222222222222222222222222222222222280821234c0',
    '80a0a9ca3d6a8023a5a0e279714c1fe492065efec5c98bd2a362a69e9af7c809bbfba04c2bac7228e53ad49f51bda334',
    '7f257387c6db9142b6648d3a836ba825d9fc03',
  ];
  expect(raw).toBe(expected.join(''));
});

test('signTransaction returns the same bytes for the same transaction', () => {
  const key = random.bytes32();
  expect(signTransaction(key, unsigned)).toEqual(signTransaction(key, unsigned));
  expect(signTransaction(key, { ...unsigned, nonce: 8 })).not.toEqual(signTransaction(key, unsigned));
});

test('signTransaction throws for an invalid key, without the key in the message', () => {
  for (const key of [`0x${'00'.repeat(32)}`, '0xdeadbeefdeadbeef']) {
    const attempt = () => signTransaction(key as Bytes32, unsigned);
    expect(attempt).toThrow();
    expect(attempt).not.toThrow(key.slice(2));
  }
});
