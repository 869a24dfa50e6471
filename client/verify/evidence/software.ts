import canonicalize from 'canonicalize';
import { hexlify, verifyMessage } from 'ethers';
import { isSameHex } from '../hex.ts';
import { type EvidenceCase, type EvidenceFinding, refutes, shows } from './evidence-case.ts';

/**
 * Verifies a software statement (D-30): canonical JSON, signed by the enclave key as an EIP-191 message, with
 * the signature beside it. It proves that the signer has the key, and nothing about the machine.
 */
export function readSoftwareStatement({ attestation, evidence, reportData }: EvidenceCase): EvidenceFinding {
  const statement = parse(new TextDecoder().decode(evidence));
  if (statement === null) return refutes('the software statement is not JSON');
  const { signature, ...said } = statement;
  if (!isSameHex(String(said['reportData']), hexlify(reportData))) {
    return refutes('the software statement was made for another key, proof ledger or nonce');
  }
  if (!isSignedBy(said, String(signature), attestation.signer)) {
    return refutes('the software statement is not signed by its own key');
  }
  if (said['issuedAt'] !== attestation.issuedAt) {
    return refutes('the attestation has another time than the software statement: one of them was changed');
  }
  return shows('not a TEE: no hardware attests the key', false, {});
}

function isSignedBy(said: object, signature: string, signer: string): boolean {
  try {
    return isSameHex(verifyMessage(canonicalize(said) ?? '', signature), signer);
  } catch {
    return false;
  }
}

function parse(text: string): Readonly<Record<string, unknown>> | null {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? { ...value } : null;
  } catch {
    return null;
  }
}
