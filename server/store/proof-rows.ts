import { type Address, type Bytes32, type Hex, unixSeconds } from '../types/units.ts';
import type { FormedBatch, ParkedProofs, ProofEntry, SignedProof, SignerRecord } from './proof-store.ts';
import { inclusionOf, type Row } from './rows.ts';

/** The columns of a proof as it was signed. */
export const proofColumns =
  'proof_id, input_hash, output_hash, model_hash, inferred_at, signer, signature, settlement_type';

/** What those columns hold, in their order. */
export function proofValues(proof: SignedProof): readonly (string | number)[] {
  const { proofId, inputHash, outputHash, modelHash, timestamp, signer, signature, settlementType } = proof;
  return [proofId, inputHash, outputHash, modelHash, timestamp, signer, signature, settlementType];
}

/** A row of the table `proof`, which both databases lay out the same. */
export function proofOf(row: Row): SignedProof {
  return {
    proofId: row['proof_id'] as Bytes32,
    inputHash: row['input_hash'] as Bytes32,
    outputHash: row['output_hash'] as Bytes32,
    modelHash: row['model_hash'] as Bytes32,
    timestamp: unixSeconds(Number(row['inferred_at'])),
    signer: row['signer'] as Address,
    signature: row['signature'] as Hex,
    settlementType: row['settlement_type'] as SignedProof['settlementType'],
  };
}

/** The same with its batch, and with the transaction that recorded the one or the other. */
export function proofEntryOf(row: Row): ProofEntry {
  const batchId = row['batch_id'] === null ? null : Number(row['batch_id']);
  const inclusion = row['tx_hash'] === null ? null : inclusionOf(row);
  return { ...proofOf(row), batchId, inclusion, refusal: row['refusal'] as string | null };
}

/** Members as they lie in their batches: lowest batch first, each in its order. */
export function batchesOf(members: readonly Row[]): readonly FormedBatch[] {
  const byBatch = Map.groupBy(members, (row) => Number(row['batch_id']));
  return [...byBatch].map(([id, rows]) => ({ id, proofs: rows.map(proofOf) }));
}

/** The sum of those that were parked. */
export function toParkedProofs(row: Row | undefined): ParkedProofs {
  return { proofs: Number(row?.['proofs'] ?? 0), refusal: (row?.['refusal'] ?? null) as string | null };
}

/** A row of the table `enclave_key`. */
export function signerOf(row: Row): SignerRecord {
  return {
    address: row['address'] as Address,
    attestation: row['attestation'] as string,
    isRegistered: Boolean(row['is_registered']),
  };
}
