import type { Hex } from '../types/units.ts';

/**
 * One word of the contract ABI: 64 hex digits, no prefix. Calldata and typed data are words in a row
 * (https://docs.soliditylang.org/en/latest/abi-spec.html).
 */
export type Word = string;

const uint256Max = (1n << 256n) - 1n;

/** Encodes a number. Throws outside uint256, since a longer or a signed text would shift every later word. */
export function uint256Word(value: bigint): Word {
  if (value < 0n || value > uint256Max) throw new Error('the number is outside uint256');
  return value.toString(16).padStart(64, '0');
}

export function addressWord(address: Hex): Word {
  return address.slice(2).padStart(64, '0');
}

export function bytes32Word(bytes: Hex): Word {
  return bytes.slice(2);
}

/** Decodes a result of exactly one word; null for anything else, such as an empty result without a contract. */
export function parseWord(response: unknown): Word | null {
  return typeof response === 'string' && /^0x[0-9a-fA-F]{64}$/.test(response)
    ? response.slice(2).toLowerCase()
    : null;
}
