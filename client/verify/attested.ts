import type { Attestation, InferenceProof } from '@paid-inference/contract/types';
import { type AttestationPolicy, checkAttestation, checkNamed } from './attestation.ts';
import { cannotTell, type Finding } from './finding.ts';
import type { GatewayStatements } from './gateway-statements.ts';
import { isSameHex } from './hex.ts';
import { zeroNonce } from './report-data.ts';

export type AttestedCase = {
  readonly proof: InferenceProof;
  /** The attestation in the saved exchange, if any. */
  readonly saved: Attestation | undefined;
  readonly gateway: GatewayStatements;
  readonly policy: AttestationPolicy;
  readonly nowSeconds: number;
};

/** Checks the evidence of the key's registration. Returns the document when the evidence is valid. */
export async function checkRegistered(
  given: AttestedCase,
): Promise<{ readonly finding: Finding; readonly attestation: Attestation | null }> {
  const { proof, saved, gateway, policy, nowSeconds } = given;
  const attestation = saved ?? (await gateway.registered(proof.signer));
  if (typeof attestation === 'string') {
    return { finding: cannotTell(`there is no attestation: ${attestation}`), attestation: null };
  }
  const checked = await checkAttestation(proof, attestation, zeroNonce, policy, nowSeconds);
  const finding = checked.verdict === 'false' ? checked : (checkNamed(proof, attestation) ?? checked);
  return { finding, attestation: finding.verdict === 'true' ? attestation : null };
}

/** Checks new evidence of the machine for a nonce that was not known before. */
export async function checkFresh(
  { proof, gateway, policy, nowSeconds }: AttestedCase,
  nonce: string,
): Promise<Finding> {
  const attestation = await gateway.fresh(nonce);
  if (typeof attestation === 'string') return cannotTell(`there is no fresh attestation: ${attestation}`);
  if (!isSameHex(attestation.signer, proof.signer)) {
    return cannotTell(`the gateway has another key now, ${attestation.signer}`);
  }
  return checkAttestation(proof, attestation, nonce, policy, nowSeconds);
}
