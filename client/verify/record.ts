import type { InferenceProof, LedgerDomain, ProofRecord } from '@paid-inference/contract/types';
import { isSameHex } from './hex.ts';
import { hashLeaf } from './leaf.ts';
import { pickStatement } from './signature.ts';

/** The response of `GET /v1/proofs/{id}`. It says where to look, and proves nothing. */
export type RecordReading =
  | { readonly kind: 'record'; readonly record: ProofRecord }
  /** The gateway has no proof with this id. */
  | { readonly kind: 'none' }
  | { readonly kind: 'unread'; readonly message: string };

/** The reason why a record does not match this proof; null when it does. */
export function recordFault(record: ProofRecord, proof: InferenceProof): string | null {
  if (!isSameHex(record.id, proof.proofId)) return 'the record is that of another proof';
  if (!isSameHex(record.leaf.signer, proof.signer) || !isSameStatement(record.leaf, proof)) {
    return 'the leaf in the record is not that of this proof';
  }
  if (!isSameHex(record.leafHash, hashLeaf(proof)))
    return 'the leaf hash in the record is not that of this proof';
  if (!isSameHex(record.signature, proof.signature))
    return 'the signature in the record is not that of this proof';
  if (!isSameLedger(record.ledger, proof.ledger))
    return 'the proof ledger in the record is not that of this proof';
  if (record.settlementType !== proof.settlementType) {
    return `the proof is for ${proof.settlementType}, but its record is for ${record.settlementType}`;
  }
  return null;
}

/** Whether both are statements of the same inference with the same settlement type. */
export function isSameStatement(
  one: ProofRecord['leaf'] | Omit<ProofRecord['leaf'], 'signer'>,
  proof: InferenceProof,
): boolean {
  const [left, right] = [pickStatement(one), pickStatement(proof)];
  return (
    left.timestamp === right.timestamp &&
    left.settlementType === right.settlementType &&
    (['proofId', 'inputHash', 'outputHash', 'modelHash'] as const).every((name) =>
      isSameHex(left[name], right[name]),
    )
  );
}

function isSameLedger(one: LedgerDomain, other: LedgerDomain): boolean {
  return (
    one.name === other.name &&
    one.version === other.version &&
    one.chainId === other.chainId &&
    isSameHex(one.verifyingContract, other.verifyingContract)
  );
}
