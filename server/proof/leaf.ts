import { inferenceLeafTypes } from '@paid-inference/contract/eip712';
import type { InferenceLeaf } from '@paid-inference/contract/types';
import { keccak256 } from 'ethers';
import { addressWord, bytes32Word, uint256Word, type Word } from '../chain/word.ts';
import type { Bytes32, Hex } from '../types/units.ts';

/**
 * Hashes a leaf of the tree: the values of `InferenceLeaf`, ABI-encoded and hashed twice, so that an inner node
 * cannot pass as a leaf.
 */
export function hashLeaf(leaf: InferenceLeaf): Bytes32 {
  const fields = inferenceLeafTypes.InferenceLeaf;
  const head: Word[] = [];
  let tail = '';
  for (const { name, type } of fields) {
    if (type === 'string') {
      head.push(uint256Word(BigInt(fields.length * wordBytes + tail.length / 2)));
      tail += encodedText(String(leaf[name as keyof InferenceLeaf]));
    } else {
      head.push(encodeWord(leaf, name, type));
    }
  }
  return keccak256(keccak256(`0x${head.join('')}${tail}`)) as Bytes32;
}

const wordBytes = 32;

/** Encodes a string for the tail: its length in bytes, then the bytes, padded to whole words. */
function encodedText(text: string): string {
  const bytes = Buffer.from(text);
  const padding = '00'.repeat(-bytes.length & (wordBytes - 1));
  return uint256Word(BigInt(bytes.length)) + bytes.toString('hex') + padding;
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
