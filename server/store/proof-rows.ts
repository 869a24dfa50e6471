import { type Address, type Bytes32, type Hex, unixSeconds } from '../types/units.ts';
import type {
  FormedBatch,
  ParkedProofs,
  ProofEntry,
  SignedProof,
  SignerRecord,
  WaitingElsewhere,
} from './proof-store.ts';
import { type Row, toInclusion } from './rows.ts';

/** The columns of a signed proof. */
export const proofColumns =
  'proof_id, input_hash, output_hash, model_hash, inferred_at, signer, signature, settlement_type';

/** Returns the values of `proofColumns`, in the same order. */
export function proofValues(proof: SignedProof): readonly (string | number)[] {
  const { proofId, inputHash, outputHash, modelHash, timestamp, signer, signature, settlementType } = proof;
  return [proofId, inputHash, outputHash, modelHash, timestamp, signer, signature, settlementType];
}

/** Reads a row of the table `proof`, which has the same columns in both databases. */
export function toSignedProof(row: Row): SignedProof {
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

/** Reads a proof with its batch, and with the transaction that recorded the proof or the batch. */
export function toProofEntry(row: Row): ProofEntry {
  const batchId = row['batch_id'] === null ? null : Number(row['batch_id']);
  const inclusion = row['tx_hash'] === null ? null : toInclusion(row);
  return { ...toSignedProof(row), batchId, inclusion, refusal: row['refusal'] as string | null };
}

/** Groups proofs into their batches. The rows come lowest batch first, each batch in its order. */
export function toBatches(members: readonly Row[]): readonly FormedBatch[] {
  const byBatch = Map.groupBy(members, (row) => Number(row['batch_id']));
  return [...byBatch].map(([id, rows]) => ({ id, proofs: rows.map(toSignedProof) }));
}

/** Reads the sum of the parked proofs. */
export function toParkedProofs(row: Row | undefined): ParkedProofs {
  return { proofs: Number(row?.['proofs'] ?? 0), refusal: (row?.['refusal'] ?? null) as string | null };
}

/** Reads the sum of the proofs for other proof ledgers. */
export function toWaitingElsewhere(row: Row | undefined): WaitingElsewhere {
  return {
    proofs: Number(row?.['proofs'] ?? 0),
    ledger: (row?.['ledger'] ?? null) as WaitingElsewhere['ledger'],
  };
}

/** Reads a row of the table `enclave_key`. */
export function toSigner(row: Row): SignerRecord {
  return {
    address: row['address'] as Address,
    attestation: row['attestation'] as string,
    isRegistered: Boolean(row['is_registered']),
  };
}
