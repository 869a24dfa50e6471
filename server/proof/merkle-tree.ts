import type { InferenceLeaf } from '@paid-inference/contract/types';
import { toBytes32 } from '../chain/bytes.ts';
import { keccak256 } from '../chain/keccak.ts';
import type { Bytes32 } from '../types/units.ts';
import { hashLeaf } from './leaf.ts';

/** The Merkle tree of a batch. Only its root is recorded on the proof ledger (contract §4.3). */
export type BatchTree = {
  readonly root: Bytes32;
  readonly size: number;
  /** Sibling hashes from a leaf to the root, for `verifyInBatch`; null for a proof that is not in the batch. */
  findPath(proofId: string): readonly Bytes32[] | null;
};

/**
 * Builds the same tree as OpenZeppelin's `StandardMerkleTree`: sorted, so independent of the order of the
 * leaves. The library's hashes in JavaScript would block the event loop some ten times as long. Throws without
 * leaves.
 */
export function batchTree(proofs: readonly InferenceLeaf[]): BatchTree {
  if (proofs.length === 0) throw new Error('a batch has at least one leaf');
  const hashes = proofs.map((proof, at) => ({ hash: Buffer.from(hashLeaf(proof).slice(2), 'hex'), at }));
  hashes.sort((one, other) => Buffer.compare(one.hash, other.hash));
  // The root is the first node, and the children of node n are the nodes 2n + 1 and 2n + 2.
  const nodes: Uint8Array[] = Array(2 * hashes.length - 1);
  const places = new Map<string, number>();
  for (const [rank, { hash, at }] of hashes.entries()) {
    const place = nodes.length - 1 - rank;
    nodes[place] = hash;
    places.set(proofs[at]?.proofId ?? '', place);
  }
  for (let at = nodes.length - hashes.length - 1; at >= 0; at--)
    nodes[at] = hashPair(nodeAt(2 * at + 1), nodeAt(2 * at + 2));
  return {
    root: toBytes32(nodeAt(0)),
    size: proofs.length,
    findPath(proofId) {
      const place = places.get(proofId);
      if (place === undefined) return null;
      const path: Bytes32[] = [];
      for (let at = place; at > 0; at = (at - 1) >> 1)
        path.push(toBytes32(nodeAt(at % 2 === 0 ? at - 1 : at + 1)));
      return path;
    },
  };

  function nodeAt(place: number): Uint8Array {
    const node = nodes[place];
    if (node === undefined) throw new Error(`the tree has no node ${place}`);
    return node;
  }
}

/** Hashes two nodes, the lower first, so that a path needs no sides. */
function hashPair(one: Uint8Array, other: Uint8Array): Uint8Array {
  return keccak256(Buffer.concat(Buffer.compare(one, other) < 0 ? [one, other] : [other, one]));
}
