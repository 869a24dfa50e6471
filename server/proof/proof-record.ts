import type { LedgerDomain, ProofRecord } from '@paid-inference/contract/types';
import { Attestation as isAttestation } from '@paid-inference/contract/validators';
import type { ProofEntry, ProofStore } from '../store/proof-store.ts';
import type { Address, Bytes32 } from '../types/units.ts';
import { hashLeaf } from './leaf.ts';
import { type BatchTree, batchTree } from './merkle-tree.ts';

/** Finds the state of a proof, as `GET /v1/proofs/{id}` returns it. */
export interface ProofRecords {
  /** Null for an unknown proof, a private inference and an unpaid payment. */
  find(proofId: Bytes32): Promise<ProofRecord | null>;
}

/**
 * The number of cached trees. A tree takes milliseconds to build, and clients often ask for several members of
 * one batch. A leaf takes about 300 bytes, so the largest batches fill 40 MB.
 */
const keptTreesMax = 128;

export function createProofRecords(
  store: Pick<ProofStore, 'findProof' | 'findBatch' | 'findSigner'>,
  ledger: LedgerDomain,
  treesMax = keptTreesMax,
): ProofRecords {
  /** Least recently used first, with the trees that are being built. */
  const trees = new Map<number, Promise<BatchTree | null>>();
  return {
    async find(proofId) {
      const entry = await store.findProof(proofId);
      if (entry === null) return null;
      const { batchId: _, inclusion, refusal, signature, ...leaf } = entry;
      const { settlementType } = leaf;
      return {
        id: proofId,
        status: readStatus(entry),
        settlementType,
        leaf,
        signature,
        leafHash: hashLeaf(leaf),
        ledger: await findLedger(leaf.signer),
        ...(settlementType === 'batch' && { batch: await placeInBatch(entry) }),
        ...(inclusion && { inclusion: { txHash: inclusion.txHash, blockNumber: inclusion.block } }),
        ...(inclusion === null && refusal !== null && { refusal }),
      };
    },
  };

  async function placeInBatch({ proofId, batchId }: ProofEntry): Promise<NonNullable<ProofRecord['batch']>> {
    const tree = batchId === null ? null : await findTree(batchId);
    // The batch was dissolved since the proof was found: the proof waits for the next batch.
    if (tree === null) return { root: null, size: null, path: null };
    const { root, size } = tree;
    return { root, size, path: [...(tree.findPath(proofId) ?? [])] };
  }

  /** Returns the cached tree. Members of a batch never change, so concurrent requests share one tree. */
  async function findTree(batchId: number): Promise<BatchTree | null> {
    const tree = trees.get(batchId) ?? buildTree(batchId);
    trees.delete(batchId);
    trees.set(batchId, tree);
    const [oldest] = trees.keys();
    if (oldest !== undefined && trees.size > treesMax) trees.delete(oldest);
    try {
      const built = await tree;
      if (built === null) forget(batchId, tree);
      return built;
    } catch (cause) {
      forget(batchId, tree);
      throw cause;
    }
  }

  async function buildTree(batchId: number): Promise<BatchTree | null> {
    const batch = await store.findBatch(batchId);
    return batch && batchTree(batch.proofs);
  }

  function forget(batchId: number, tree: Promise<BatchTree | null>): void {
    if (trees.get(batchId) === tree) trees.delete(batchId);
  }

  /**
   * Returns the ledger that the key signed for: a key of an earlier start may have signed for another ledger.
   */
  async function findLedger(signer: Address): Promise<LedgerDomain> {
    const record = await store.findSigner(signer);
    const attestation: unknown = record && JSON.parse(record.attestation);
    return isAttestation(attestation) ? attestation.ledger : ledger;
  }
}

function readStatus({ inclusion, refusal }: ProofEntry): ProofRecord['status'] {
  if (inclusion !== null) return 'recorded';
  return refusal === null ? 'pending' : 'refused';
}
