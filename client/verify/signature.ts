import { inferenceProofTypes } from '@paid-inference/contract/eip712';
import type {
  InferenceProof,
  InferenceStatement,
  LedgerDomain,
  SettlementType,
} from '@paid-inference/contract/types';
import { verifyTypedData } from 'ethers';
import { settlementTypes } from '../settlement-type.ts';
import { type Finding, fails, holds } from './finding.ts';
import { isSameHex } from './hex.ts';
import { isCanonicalSignature } from './signature-form.ts';

/** Which ledger the caller means; null where the caller leaves it to the proof, or could not ask. */
export type ExpectedLedger = { readonly chainId: bigint | null; readonly contract: string | null };

/**
 * Whether the enclave key signed this statement, for this ledger. A signature is good in one EIP-712 domain only, so what
 * was signed for a ledger elsewhere is worth nothing here.
 */
export function checkSignature(proof: InferenceProof, expected: ExpectedLedger): Finding {
  const elsewhere = ledgerFault(proof.ledger, expected);
  if (elsewhere !== null) return fails(elsewhere);
  if (!isCanonicalSignature(proof.signature)) {
    return fails('the signature is in none of the forms that the ledger takes: it was changed');
  }
  if (recover(proof) === null) return fails('the signature is none that a key could have made');
  const signedFor = signedTypeOf(proof);
  if (signedFor === null) {
    return fails(`not signed by ${proof.signer}: the statement or the signature was changed`);
  }
  if (signedFor !== proof.settlementType) {
    return fails(`signed for ${signedFor}, and the proof says ${proof.settlementType}: the mode was changed`);
  }
  const { chainId, verifyingContract } = proof.ledger;
  return holds(`signed by ${proof.signer} for the ledger ${verifyingContract} on chain ${chainId}`);
}

/** Why a proof is not for the ledger that was meant; null where it is. */
export function ledgerFault(ledger: LedgerDomain, expected: ExpectedLedger): string | null {
  const { chainId, verifyingContract } = ledger;
  if (expected.chainId !== null && expected.chainId !== BigInt(chainId)) {
    return `the proof is for a ledger on another chain: ${chainId}, and the node that was asked is of chain ${expected.chainId}`;
  }
  if (expected.contract !== null && !isSameHex(expected.contract, verifyingContract)) {
    return `the proof is for another ledger: ${verifyingContract}, not ${expected.contract}`;
  }
  return null;
}

/** The statement alone, as it is signed and recorded. */
export function statementOf(proof: InferenceStatement): InferenceStatement {
  const { proofId, inputHash, outputHash, modelHash, timestamp, settlementType } = proof;
  return { proofId, inputHash, outputHash, modelHash, timestamp, settlementType };
}

/** The settlement type that the signer signed this statement for; null where it signed it for none. */
export function signedTypeOf(proof: InferenceProof): SettlementType | null {
  const isSignedFor = (settlementType: SettlementType) =>
    isSameHex(recover({ ...proof, settlementType }) ?? '', proof.signer);
  if (isSignedFor(proof.settlementType)) return proof.settlementType;
  return settlementTypes.find(isSignedFor) ?? null;
}

function recover(proof: InferenceProof): string | null {
  const { name, version, chainId, verifyingContract } = proof.ledger;
  // ethers refuses a mixed-case address whose EIP-55 checksum does not hold, and the contract is free in its case.
  const domain = { name, version, chainId, verifyingContract: verifyingContract.toLowerCase() };
  try {
    return verifyTypedData(domain, inferenceProofTypes, statementOf(proof), proof.signature);
  } catch {
    return null;
  }
}
