import type { Address, Hex } from '../types/units.ts';
import { addressWord, uint256Word } from './word.ts';

/** The address of Multicall3 on every chain (https://www.multicall3.com). */
export const multicallAddress = '0xca11bde05977b3631167028862be2a173976ca11' as Address;

/**
 * keccak256 of Multicall3's code. Code with another hash is another contract, with results of another meaning;
 * the gateway then reads payers one by one.
 */
export const multicallCodeHash = '0xd5c15df687b16f2ff992fc8d767b4216323184a2bbc6ee2f9c398c318e770891';

/** One call of a batch. The batch goes on when one of its calls fails. */
export type InnerCall = { readonly to: Address; readonly data: Hex };

/** The result of an inner call. `data` is the return data, or the revert's data. */
export type InnerResult = { readonly success: boolean; readonly data: Hex };

const wordDigits = 64;
const wordBytes = 32;

/** Encodes `aggregate3` over calls that may fail. It is packed by hand, because every paid request needs it. */
export function aggregateCalldata(calls: readonly InnerCall[]): Hex {
  let offset = calls.length * wordBytes;
  const offsets: string[] = [];
  const tuples = calls.map(({ to, data }) => {
    const bytes = data.slice(2);
    const padded = bytes.padEnd(Math.ceil(bytes.length / wordDigits) * wordDigits, '0');
    // target, allowFailure = true, where the bytes begin within the tuple, their length, the bytes
    const tuple = `${addressWord(to)}${one}${bytesAt}${uint256Word(BigInt(bytes.length / 2))}${padded}`;
    offsets.push(uint256Word(BigInt(offset)));
    offset += tuple.length / 2;
    return tuple;
  });
  return `0x82ad56cb${arrayAt}${uint256Word(BigInt(calls.length))}${offsets.join('')}${tuples.join('')}` as Hex;
}

const one = uint256Word(1n);
const arrayAt = uint256Word(0x20n);
const bytesAt = uint256Word(0x60n);

/** Decodes the return data of `aggregate3`; null unless it holds `count` results. */
export function parseAggregate(response: unknown, count: number): readonly InnerResult[] | null {
  if (typeof response !== 'string' || !/^0x([0-9a-f]{64})*$/i.test(response)) return null;
  const words = response.slice(2).toLowerCase();
  const wordAt = (byte: number) => words.slice(byte * 2, byte * 2 + wordDigits);
  const numberAt = (byte: number) => Number(`0x${wordAt(byte) || '0'}`);
  if (numberAt(0) !== wordBytes || numberAt(wordBytes) !== count) return null;
  const array = 2 * wordBytes;
  const results: InnerResult[] = [];
  for (let index = 0; index < count; index++) {
    const tuple = array + numberAt(array + index * wordBytes);
    const length = numberAt(tuple + 2 * wordBytes);
    const start = (tuple + 3 * wordBytes) * 2;
    const data = words.slice(start, start + length * 2);
    if (!Number.isSafeInteger(length) || data.length !== length * 2) return null;
    results.push({ success: numberAt(tuple) === 1, data: `0x${data}` as Hex });
  }
  return results;
}
