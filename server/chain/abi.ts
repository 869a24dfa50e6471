import { toHex } from './bytes.ts';
import { keccak256 } from './keccak.ts';
import { uint256Word, type Word } from './word.ts';

/**
 * The parts of the contract ABI that the gateway needs at every start. A general library for them takes 30 MB of
 * memory. @see https://docs.soliditylang.org/en/latest/abi-spec.html
 */

/** The encoding of a value of any length. It follows the words, and one of these words holds its position. */
type Tail = { readonly tail: string };

const wordDigits = 64;

/** Computes the first four bytes of a call of a function, or of the data of an error, such as `transfer(address,uint256)`. */
export function computeSelector(signature: string): string {
  return computeTopic(signature).slice(0, 10);
}

/** Computes the first topic of an event, such as `Transfer(address,address,uint256)`. */
export function computeTopic(signature: string): string {
  return toHex(keccak256(Buffer.from(signature)));
}

/** Encodes the values of a call, a tuple or an array in a row, as hex digits. */
export function encodeValues(values: readonly (Word | Tail)[]): string {
  let heads = '';
  let tails = '';
  for (const value of values) {
    if (typeof value === 'string') {
      heads += value;
    } else {
      heads += uint256Word(BigInt(values.length * (wordDigits / 2) + tails.length / 2));
      tails += value.tail;
    }
  }
  return heads + tails;
}

/** Encodes `bytes` from hex digits: its length, and the bytes padded to whole words. */
export function bytesTail(digits: string): Tail {
  const padded = digits.padEnd(Math.ceil(digits.length / wordDigits) * wordDigits, '0');
  return { tail: uint256Word(BigInt(digits.length / 2)) + padded };
}

/** Encodes a `string` as its UTF-8 bytes. */
export function textTail(text: string): Tail {
  return bytesTail(Buffer.from(text).toString('hex'));
}

/** Encodes a tuple with a member of any length. */
export function tupleTail(values: readonly (Word | Tail)[]): Tail {
  return { tail: encodeValues(values) };
}

/** Encodes an array of any length. */
export function arrayTail(items: readonly (Word | Tail)[]): Tail {
  return { tail: uint256Word(BigInt(items.length)) + encodeValues(items) };
}

/** Decodes data of at least `countMin` words; null for anything else, such as an empty result without a contract. */
export function parseWords(data: unknown, countMin: number): readonly Word[] | null {
  if (typeof data !== 'string' || !/^0x(?:[0-9a-fA-F]{64})*$/.test(data)) return null;
  const words = data.slice(2).toLowerCase().match(/.{64}/g) ?? [];
  return words.length >= countMin ? words : null;
}

/** Decodes the bytes whose position the word `at` holds; null where they are cut off. */
export function readBytes(words: readonly Word[], at: number): Buffer | null {
  const start = Number(`0x${words[at]}`) * 2;
  const digits = words.join('');
  if (!(start + wordDigits <= digits.length)) return null;
  const length = Number(`0x${digits.slice(start, start + wordDigits)}`) * 2;
  const end = start + wordDigits + length;
  return end <= digits.length ? Buffer.from(digits.slice(start + wordDigits, end), 'hex') : null;
}

/** A contract's own EIP-712 domain (EIP-5267). The last two are words. */
export type OwnDomain = {
  readonly fields: string;
  readonly name: string;
  readonly version: string;
  readonly chainId: Word;
  readonly verifyingContract: Word;
};

export const ownDomainCalldata = computeSelector('eip712Domain()');

/** Decodes the result of `eip712Domain()`; null for anything else. */
export function parseOwnDomain(response: unknown): OwnDomain | null {
  const words = parseWords(response, 7);
  if (words === null) return null;
  const [fields = '', , , chainId = '', verifyingContract = ''] = words;
  const [name, version] = [readBytes(words, 1), readBytes(words, 2)];
  if (name === null || version === null) return null;
  return {
    fields: `0x${fields.slice(0, 2)}`,
    name: name.toString(),
    version: version.toString(),
    chainId,
    verifyingContract,
  };
}
