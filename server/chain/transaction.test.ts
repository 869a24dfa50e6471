import { computeAddress, SigningKey, Transaction } from 'ethers';
import { expect, test } from 'vitest';
import { randomValues, testSeed } from '../testing/chain/random-values.ts';
import { type Address, type Bytes32, type Hex, parseAddress } from '../types/units.ts';
import { toHex } from './bytes.ts';
import { readTransaction, signTransaction, type UnsignedTransaction } from './transaction.ts';

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

const lengths = [0, 1, 2, 54, 55, 56, 57, 255, 256, 257, 1_000];
const someFee = () => [0n, 1n, 127n, 128n, 255n, 256n][random.below(12)] ?? random.uint256();

function someTransaction(): UnsignedTransaction {
  const fees = [someFee(), someFee()].sort((one, other) => (one < other ? -1 : 1));
  return {
    chainId: [1, 127, 128, 84_532][random.below(4)] ?? 1,
    nonce: [0, 1, 127, 128, 255, 256, 2 ** 31][random.below(7)] ?? 0,
    to: random.below(5) === 0 ? null : random.address(),
    data: toHex(random.bytes(lengths[random.below(lengths.length)] ?? 0)),
    gasLimit: someFee(),
    maxPriorityFeePerGas: fees[0] ?? 0n,
    maxFeePerGas: fees[1] ?? 0n,
  };
}

test(`signTransaction returns the bytes and the hash of ethers, and readTransaction reads them (seed ${seed})`, () => {
  const keys = Array.from({ length: 10 }, () => random.bytes32());
  for (let round = 0; round < 300; round++) {
    const key = keys[round % keys.length] ?? random.bytes32();
    const data = round === 0 ? toHex(random.bytes(65_536)) : null;
    const fields = { ...someTransaction(), ...(data && { data }) };
    const expected = Transaction.from({ type: 2, ...fields });
    expected.signature = new SigningKey(key).sign(expected.unsignedHash);
    expect(signTransaction(key, fields)).toEqual({ raw: expected.serialized, hash: expected.hash });
    expect(readTransaction(expected.serialized as Hex)).toEqual(fields);
  }
});

test('signTransaction throws for fields that ethers rejects', () => {
  const wrong: readonly Partial<UnsignedTransaction>[] = [
    { maxPriorityFeePerGas: unsigned.maxFeePerGas + 1n },
    { gasLimit: -1n },
    { gasLimit: 2n ** 256n },
    { nonce: -1 },
    { nonce: 1.5 },
    { data: '0x1' as Hex },
    { data: '0xzz' as Hex },
    { to: '0x12' as Address },
  ];
  for (const change of wrong) {
    expect(() => Transaction.from({ type: 2, ...unsigned, ...change }).serialized, 'ethers').toThrow();
    expect(() => signTransaction(random.bytes32(), { ...unsigned, ...change }), 'gateway').toThrow();
  }
});

test(`readTransaction throws for other bytes (seed ${seed})`, () => {
  const { raw } = signTransaction(random.bytes32(), unsigned);
  const legacy = Transaction.from({
    type: 0,
    ...{ to: unsigned.to, gasPrice: 1n, gasLimit: 1n, chainId: 1 },
  });
  const paying = Transaction.from({ type: 2, ...unsigned, value: 1n });
  paying.signature = new SigningKey(random.bytes32()).sign(paying.unsignedHash);
  for (const bytes of ['0x', '0x02', '0x02c0', raw.slice(0, -2), `${raw}00`, legacy.unsignedSerialized])
    expect(() => readTransaction(bytes as Hex), bytes).toThrow();
  expect(() => readTransaction(paying.serialized as Hex)).toThrow();
  for (let round = 0; round < 300; round++) {
    const end = 4 + 2 * random.below(raw.length / 2 - 2);
    expect(() => readTransaction(raw.slice(0, end) as Hex), `cut at ${end}`).toThrow();
  }
});
