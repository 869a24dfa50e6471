import { StandardMerkleTree } from '@openzeppelin/merkle-tree';
import { inferenceLeafTypes } from '@paid-inference/contract/eip712';
import type { InferenceLeaf } from '@paid-inference/contract/types';
import { describe, expect, it } from 'vitest';
import { randomValues, testSeed } from '../testing/chain/random-values.ts';
import { hashLeaf } from './leaf.ts';
import { batchTree } from './merkle-tree.ts';

const seed = testSeed();
const { bytes32: hash, address } = randomValues(seed);
const types = inferenceLeafTypes.InferenceLeaf.map(({ type }) => type);

function someLeaf(): InferenceLeaf {
  return {
    proofId: hash(),
    inputHash: hash(),
    outputHash: hash(),
    modelHash: hash(),
    timestamp: 1_700_000_000,
    settlementType: 'batch',
    signer: address(),
  };
}

const someLeaves = (count: number) => Array.from({ length: count }, someLeaf);
const listValues = (leaf: InferenceLeaf) =>
  inferenceLeafTypes.InferenceLeaf.map(({ name }) => leaf[name as keyof InferenceLeaf]);
const standardTree = (leaves: readonly InferenceLeaf[]) =>
  StandardMerkleTree.of(leaves.map(listValues), types);

describe(`The tree of a batch (TEST_SEED=${seed})`, () => {
  it.each([1, 2, 3, 63, 64, 65])(
    'has root, leaves and paths of the standard tree, with %i leaves',
    (count) => {
      const leaves = someLeaves(count);
      const [tree, standard] = [batchTree(leaves), standardTree(leaves)];
      expect([tree.root, tree.size]).toEqual([standard.root, count]);
      for (const [at, leaf] of leaves.entries()) {
        expect(hashLeaf(leaf)).toBe(standard.leafHash(listValues(leaf)));
        expect(tree.findPath(leaf.proofId)).toEqual(standard.getProof(at));
      }
    },
  );

  it('builds a tree of 1,024 leaves', () => {
    const leaves = someLeaves(1_024);
    const [tree, last] = [batchTree(leaves), leaves.at(-1)];
    expect(last && tree.findPath(last.proofId)).toHaveLength(10);
  });

  it('does not depend on the order of its leaves', () => {
    const leaves = someLeaves(9);
    expect(batchTree(leaves.toReversed()).root).toBe(batchTree(leaves).root);
  });

  it('returns no path for a proof of another batch, and throws without leaves', () => {
    expect(batchTree(someLeaves(4)).findPath(hash())).toBe(null);
    expect(() => batchTree([])).toThrow();
  });
});

describe('A leaf', () => {
  it('has another hash when any of its values changes', () => {
    const leaf = someLeaf();
    const changes: readonly Partial<InferenceLeaf>[] = [
      { proofId: hash() },
      { inputHash: hash() },
      { outputHash: hash() },
      { modelHash: hash() },
      { timestamp: leaf.timestamp + 1 },
      { settlementType: 'individual' },
      { signer: someLeaf().signer },
    ];
    const hashes = [{}, ...changes].map((change) => hashLeaf({ ...leaf, ...change }));
    expect(new Set(hashes).size).toBe(8);
  });

  it('has the same hash in upper and lower case', () => {
    const leaf = someLeaf();
    const upper = (text: string) => `0x${text.slice(2).toUpperCase()}`;
    const spelt = { ...leaf, proofId: upper(leaf.proofId), signer: upper(leaf.signer) };
    expect(hashLeaf(spelt)).toBe(hashLeaf(leaf));
  });
});
