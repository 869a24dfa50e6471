import type { Hex } from '../types/units.ts';

/**
 * One word of the contract ABI: 64 hex digits, no prefix. Calldata and typed data are words in a row
 * (https://docs.soliditylang.org/en/latest/abi-spec.html).
 */
export type Word = string;

const uint256Max = (1n << 256n) - 1n;

/** Throws outside uint256, since a longer or a signed text would shift every word behind it. */
export function uint256Word(value: bigint): Word {
  if (value < 0n || value > uint256Max) throw new Error('number out of uint256');
  return value.toString(16).padStart(64, '0');
}

export function addressWord(address: Hex): Word {
  return address.slice(2).padStart(64, '0');
}

export function bytes32Word(bytes: Hex): Word {
  return bytes.slice(2);
}

/** Reads an answer that must be exactly one word; null for anything else, such as the empty answer of no contract. */
export function parseWord(answer: unknown): Word | null {
  return typeof answer === 'string' && /^0x[0-9a-fA-F]{64}$/.test(answer)
    ? answer.slice(2).toLowerCase()
    : null;
}
