import type { LedgerDomain, ProofRecord } from '@paid-inference/contract/types';
import { Attestation as isAttestation } from '@paid-inference/contract/validators';
import type { ProofEntry, ProofStore } from '../store/proof-store.ts';
import type { Address, Bytes32 } from '../types/units.ts';
import { type BatchTree, batchTree, leafHashOf } from './batch-tree.ts';

/** Where proofs stand, as `GET /v1/proofs/{id}` says it. */
export interface ProofRecords {
  /** Null for what is unknown, was private, or is not paid (yet). */
  find(proofId: Bytes32): Promise<ProofRecord | null>;
}

/**
 * Trees that are kept: one takes milliseconds to build, and whoever asks for one member of a batch often asks for the
 * others. A leaf takes some 300 bytes, so that the largest batches fill 40 MB.
 */
const keptTreesMax = 128;

export function createProofRecords(
  store: Pick<ProofStore, 'findProof' | 'findBatch' | 'findSigner'>,
  ledger: LedgerDomain,
  treesMax = keptTreesMax,
): ProofRecords {
  /** Those that were asked for last are last. One that is being built is asked for as well. */
  const trees = new Map<number, Promise<BatchTree | null>>();
  return {
    async find(proofId) {
      const entry = await store.findProof(proofId);
      if (entry === null) return null;
      const { batchId: _, inclusion, refusal, signature, ...leaf } = entry;
      const { settlementType } = leaf;
      return {
        id: proofId,
        status: statusOf(entry),
        settlementType,
        leaf,
        signature,
        leafHash: leafHashOf(leaf),
        ledger: await ledgerOf(leaf.signer),
        ...(settlementType === 'batch' && { batch: await placeInBatch(entry) }),
        ...(inclusion && { inclusion: { txHash: inclusion.txHash, blockNumber: inclusion.block } }),
        ...(inclusion === null && refusal !== null && { refusal }),
      };
    },
  };

  async function placeInBatch({ proofId, batchId }: ProofEntry): Promise<NonNullable<ProofRecord['batch']>> {
    const tree = batchId === null ? null : await treeOf(batchId);
    // Dissolved since the proof was looked up: it waits for the next batch.
    if (tree === null) return { root: null, size: null, path: null };
    const { root, size } = tree;
    return { root, size, path: [...(tree.pathOf(proofId) ?? [])] };
  }

  /** Members of a batch never change, so that its tree is built once, however many ask for it at the same time. */
  async function treeOf(batchId: number): Promise<BatchTree | null> {
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

  /** A key signs for one ledger all its life; one of an earlier start may have signed for another than is configured now. */
  async function ledgerOf(signer: Address): Promise<LedgerDomain> {
    const record = await store.findSigner(signer);
    const attestation: unknown = record && JSON.parse(record.attestation);
    return isAttestation(attestation) ? attestation.ledger : ledger;
  }
}

function statusOf({ inclusion, refusal }: ProofEntry): ProofRecord['status'] {
  if (inclusion !== null) return 'recorded';
  return refusal === null ? 'pending' : 'refused';
}
