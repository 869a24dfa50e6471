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

/** The expected proof ledger; null where the caller named none, or the node did not return its chain id. */
export type ExpectedLedger = { readonly chainId: bigint | null; readonly contract: string | null };

/**
 * Whether the enclave key signed this statement for this proof ledger. A signature is valid in one EIP-712
 * domain only, so a signature for another proof ledger fails.
 */
export function checkSignature(proof: InferenceProof, expected: ExpectedLedger): Finding {
  const elsewhere = ledgerFault(proof.ledger, expected);
  if (elsewhere !== null) return fails(elsewhere);
  if (!isCanonicalSignature(proof.signature)) {
    return fails('the signature has a form that the proof ledger rejects: it was changed');
  }
  if (recover(proof) === null) return fails('no key can have made this signature');
  const signedFor = findSignedType(proof);
  if (signedFor === null) {
    return fails(`not signed by ${proof.signer}: the statement or the signature was changed`);
  }
  if (signedFor !== proof.settlementType) {
    return fails(
      `signed for ${signedFor}, but the proof says ${proof.settlementType}: the settlement type was changed`,
    );
  }
  const { chainId, verifyingContract } = proof.ledger;
  return holds(`signed by ${proof.signer} for the proof ledger ${verifyingContract} on chain ${chainId}`);
}

/** The reason why a proof is not for the expected proof ledger; null when it is. */
export function ledgerFault(ledger: LedgerDomain, expected: ExpectedLedger): string | null {
  const { chainId, verifyingContract } = ledger;
  if (expected.chainId !== null && expected.chainId !== BigInt(chainId)) {
    return `the proof is for a proof ledger on chain ${chainId}, but the node is on chain ${expected.chainId}`;
  }
  if (expected.contract !== null && !isSameHex(expected.contract, verifyingContract)) {
    return `the proof is for another proof ledger: ${verifyingContract}, not ${expected.contract}`;
  }
  return null;
}

/** The signed and recorded part of a proof. */
export function pickStatement(proof: InferenceStatement): InferenceStatement {
  const { proofId, inputHash, outputHash, modelHash, timestamp, settlementType } = proof;
  return { proofId, inputHash, outputHash, modelHash, timestamp, settlementType };
}

/** The settlement type that the signer signed for; null when the signature is for none. */
export function findSignedType(proof: InferenceProof): SettlementType | null {
  const isSignedFor = (settlementType: SettlementType) =>
    isSameHex(recover({ ...proof, settlementType }) ?? '', proof.signer);
  if (isSignedFor(proof.settlementType)) return proof.settlementType;
  return settlementTypes.find(isSignedFor) ?? null;
}

function recover(proof: InferenceProof): string | null {
  const { name, version, chainId, verifyingContract } = proof.ledger;
  // ethers rejects a mixed-case address with a wrong EIP-55 checksum, and the contract allows any letter case.
  const domain = { name, version, chainId, verifyingContract: verifyingContract.toLowerCase() };
  try {
    return verifyTypedData(domain, inferenceProofTypes, pickStatement(proof), proof.signature);
  } catch {
    return null;
  }
}
