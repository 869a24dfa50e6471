import type { InferenceProof, LedgerDomain, ProofRecord } from '@paid-inference/contract/types';
import { isSameHex } from './hex.ts';
import { leafHashOf } from './leaf.ts';
import { statementOf } from './signature.ts';

/** What there is of `GET /v1/proofs/{id}`. The gateway's word for where to look, and never for what is there. */
export type RecordReading =
  | { readonly kind: 'record'; readonly record: ProofRecord }
  /** The gateway has no proof with this id. */
  | { readonly kind: 'none' }
  | { readonly kind: 'unread'; readonly message: string };

/** Why a record is not that of this proof; null where it is. */
export function recordFault(record: ProofRecord, proof: InferenceProof): string | null {
  if (!isSameHex(record.id, proof.proofId)) return 'the record is that of another proof';
  if (!isSameHex(record.leaf.signer, proof.signer) || !isSameStatement(record.leaf, proof)) {
    return 'the leaf in the record is not that of this proof';
  }
  if (!isSameHex(record.leafHash, leafHashOf(proof)))
    return 'the leaf hash in the record is not that of this proof';
  if (!isSameHex(record.signature, proof.signature))
    return 'the signature in the record is not that of this proof';
  if (!isSameLedger(record.ledger, proof.ledger)) return 'the ledger in the record is not that of this proof';
  if (record.settlementType !== proof.settlementType) {
    return `the proof is for ${proof.settlementType}, and its record for ${record.settlementType}`;
  }
  return null;
}

/** Whether two are of the same inference, in the same mode. */
export function isSameStatement(
  one: ProofRecord['leaf'] | Omit<ProofRecord['leaf'], 'signer'>,
  proof: InferenceProof,
): boolean {
  const [left, right] = [statementOf(one), statementOf(proof)];
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
