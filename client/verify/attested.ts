import type { Attestation, InferenceProof } from '@paid-inference/contract/types';
import { type AttestationPolicy, checkAttestation, checkNamed } from './attestation.ts';
import { cannotTell, type Finding } from './finding.ts';
import type { GatewayWord } from './gateway-word.ts';
import { isSameHex } from './hex.ts';
import { zeroNonce } from './report-data.ts';

export type AttestedCase = {
  readonly proof: InferenceProof;
  /** What was saved with the exchange, where anything was. */
  readonly saved: Attestation | undefined;
  readonly gateway: GatewayWord;
  readonly policy: AttestationPolicy;
  readonly nowSeconds: number;
};

/** The evidence that the key was registered with, and the document, where it stands. */
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

/** Evidence that the machine made just now, for a nonce that nobody could know before. */
export async function checkFresh(
  { proof, gateway, policy, nowSeconds }: AttestedCase,
  nonce: string,
): Promise<Finding> {
  const attestation = await gateway.fresh(nonce);
  if (typeof attestation === 'string') return cannotTell(`there is no fresh attestation: ${attestation}`);
  if (!isSameHex(attestation.signer, proof.signer)) {
    return cannotTell(`the gateway has another key by now, ${attestation.signer}`);
  }
  return checkAttestation(proof, attestation, nonce, policy, nowSeconds);
}
