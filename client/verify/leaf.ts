import { inferenceLeafTypes } from '@paid-inference/contract/eip712';
import type { InferenceLeaf } from '@paid-inference/contract/types';
import { AbiCoder, concat, getAddress, keccak256 } from 'ethers';

/** The leaf of a proof in the Merkle tree of a batch: its values, ABI-encoded and hashed twice. */
export function hashLeaf(leaf: InferenceLeaf): string {
  const fields = inferenceLeafTypes.InferenceLeaf;
  const value = ({ name, type }: (typeof fields)[number]) => {
    const given = leaf[name as keyof InferenceLeaf];
    return type === 'address' ? getAddress(String(given).toLowerCase()) : given;
  };
  const encoded = AbiCoder.defaultAbiCoder().encode(
    fields.map(({ type }) => type),
    fields.map(value),
  );
  return keccak256(keccak256(encoded));
}

/**
 * The root that a Merkle path leads to. Each pair is sorted before it is hashed, as in OpenZeppelin's trees.
 */
export function computeRoot(leafHash: string, path: readonly string[]): string {
  return path.reduce((node, sibling) => {
    const [one, other] = [node.toLowerCase(), sibling.toLowerCase()];
    return keccak256(one < other ? concat([one, other]) : concat([other, one]));
  }, leafHash);
}
