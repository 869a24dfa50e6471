import { inferenceLeafTypes } from '@paid-inference/contract/eip712';
import type { InferenceLeaf } from '@paid-inference/contract/types';
import { encodeValues, textTail } from '../chain/abi.ts';
import { fromDigits, toBytes32 } from '../chain/bytes.ts';
import { keccak256 } from '../chain/keccak.ts';
import { addressWord, bytes32Word, uint256Word, type Word } from '../chain/word.ts';
import type { Bytes32, Hex } from '../types/units.ts';

/**
 * Hashes a leaf of the tree: the values of `InferenceLeaf`, ABI-encoded and hashed twice, so that an inner node
 * cannot pass as a leaf.
 */
export function hashLeaf(leaf: InferenceLeaf): Bytes32 {
  const values = inferenceLeafTypes.InferenceLeaf.map(({ name, type }) =>
    type === 'string' ? textTail(String(leaf[name as keyof InferenceLeaf])) : encodeWord(leaf, name, type),
  );
  return toBytes32(keccak256(keccak256(fromDigits(encodeValues(values)))));
}

/** Encodes a value that fills exactly one word, as every type does except string. */
function encodeWord(leaf: InferenceLeaf, name: string, type: string): Word {
  const value = leaf[name as keyof InferenceLeaf];
  switch (type) {
    case 'bytes32':
      return bytes32Word(value as Hex);
    case 'uint64':
      return uint256Word(BigInt(value));
    case 'address':
      return addressWord((value as string).toLowerCase() as Hex);
    default:
      throw new Error(`unsupported leaf field "${type} ${name}"`);
  }
}
