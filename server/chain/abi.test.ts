import { AbiCoder, Interface, id } from 'ethers';
import { expect, test } from 'vitest';
import artifact from '../contracts/artifacts/InferenceLedger.json' with { type: 'json' };
import { randomValues, testSeed } from '../testing/chain/random-values.ts';
import {
  arrayTail,
  bytesTail,
  computeSelector,
  computeTopic,
  encodeValues,
  ownDomainCalldata,
  parseOwnDomain,
  parseWords,
  readBytes,
  textTail,
  tupleTail,
} from './abi.ts';
import { addressWord, bytes32Word, uint256Word } from './word.ts';

const seed = testSeed();
const random = randomValues(seed);
const coder = AbiCoder.defaultAbiCoder();
const lengths = [0, 1, 31, 32, 33, 64, 65, 500];
const someBytes = () => random.bytes(lengths[random.below(lengths.length)] ?? 0).toString('hex');
const texts = ['', 'a', 'Test Payment Token', 'ü'.repeat(16), '漢字'.repeat(40), '🙂', 'x'.repeat(32)];
const someText = () => texts[random.below(texts.length)] ?? '';

test(`encodeValues encodes words, texts, bytes, tuples and arrays as ethers does (seed ${seed})`, () => {
  for (let round = 0; round < 200; round++) {
    const [holder, hash, amount, text, bytes] = [
      random.address(),
      random.bytes32(),
      random.uint256(),
      someText(),
      someBytes(),
    ];
    const tuples = Array.from(
      { length: random.below(4) },
      () => [random.bytes32(), `0x${someBytes()}`] as const,
    );
    const own = encodeValues([
      addressWord(holder),
      textTail(text),
      arrayTail(tuples.map(([first, data]) => tupleTail([bytes32Word(first), bytesTail(data.slice(2))]))),
      uint256Word(amount),
      bytesTail(bytes),
      bytes32Word(hash),
    ]);
    const types = ['address', 'string', 'tuple(bytes32,bytes)[]', 'uint256', 'bytes', 'bytes32'];
    expect(`0x${own}`).toBe(coder.encode(types, [holder, text, tuples, amount, `0x${bytes}`, hash]));
  }
});

test('Selectors and topics are those of ethers, for every function, event and error of the proof ledger', () => {
  const ledger = new Interface(artifact.abi);
  ledger.forEachFunction((each) => expect(computeSelector(each.format('sighash'))).toBe(each.selector));
  ledger.forEachError((each) => expect(computeSelector(each.format('sighash'))).toBe(each.selector));
  ledger.forEachEvent((each) => expect(computeTopic(each.format('sighash'))).toBe(each.topicHash));
  expect(ownDomainCalldata).toBe(ledger.encodeFunctionData('eip712Domain'));
  expect(computeTopic('RELAYER')).toBe(id('RELAYER'));
});

test(`parseOwnDomain reads what ethers encodes (seed ${seed})`, () => {
  for (let round = 0; round < 100; round++) {
    const [name, version, chainId, contract] = [someText(), someText(), random.uint256(), random.address()];
    expect(parseOwnDomain(encodeDomain(name, version, chainId, contract))).toEqual({
      fields: '0x0f',
      name,
      version,
      chainId: uint256Word(chainId),
      verifyingContract: addressWord(contract),
    });
  }
});

test('parseOwnDomain returns null for data that is cut off or has a place outside of it', () => {
  const whole = encodeDomain('Test Payment Token', '1', 84_532n, random.address());
  expect(parseOwnDomain(whole)).not.toBe(null);
  for (const data of ['0x', '0x12', null, 7, whole.slice(0, -2), whole.slice(0, 2 + 64 * 7), `${whole}g`])
    expect(parseOwnDomain(data), String(data)).toBe(null);
  for (const place of [2n ** 256n - 1n, 2n ** 53n, 10_000n]) {
    const moved = `${whole.slice(0, 2 + 64)}${uint256Word(place)}${whole.slice(2 + 128)}`;
    expect(parseOwnDomain(moved), String(place)).toBe(null);
  }
});

test(`readBytes returns the bytes that ethers returns, or null where ethers throws (seed ${seed})`, () => {
  for (let round = 0; round < 300; round++) {
    const count = 1 + random.below(6);
    const small = () => uint256Word(BigInt(random.below(4) === 0 ? random.below(200) : 32 * random.below(7)));
    const data = `0x${Array.from({ length: count }, small).join('')}`;
    const words = parseWords(data, 1);
    expect(words).toHaveLength(count);
    expect(words && readBytes(words, 0)?.toString('hex'), data).toBe(readByEthers(data));
  }
});

function readByEthers(data: string): string | undefined {
  try {
    return String(coder.decode(['bytes'], data)[0]).slice(2);
  } catch {
    return undefined;
  }
}

function encodeDomain(name: string, version: string, chainId: bigint, contract: string): string {
  return coder.encode(
    ['bytes1', 'string', 'string', 'uint256', 'address', 'bytes32', 'uint256[]'],
    ['0x0f', name, version, chainId, contract, `0x${'00'.repeat(32)}`, []],
  );
}
