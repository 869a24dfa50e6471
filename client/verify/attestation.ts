import type { Attestation, InferenceProof } from '@paid-inference/contract/types';
import { computeAddress, decodeBase64, hexlify, keccak256 } from 'ethers';
import { readEvidence } from './evidence/evidence.ts';
import type { AttestationTrust, EvidenceFinding } from './evidence/evidence-case.ts';
import { type Finding, fails, holds } from './finding.ts';
import { isSameHex, short } from './hex.ts';
import { computeReportData } from './report-data.ts';
import { ledgerFault } from './signature.ts';

/** The caller's requirements on the machine. */
export type AttestationPolicy = {
  /** Fails evidence of anything but a trusted execution environment. */
  readonly requireHardware?: boolean;
  /** Required measurements by the vendor's names (`MRTD`, `PCR0`, `image_digest`). */
  readonly measurements?: Readonly<Record<string, string>>;
  readonly trust?: AttestationTrust;
};

/**
 * Whether the evidence is valid, binds this key and this proof ledger, and is for this nonce. Claims of the
 * document do not count: the report data is computed here, and measurements are read from the signed evidence.
 * The nonce of zeros stands for the evidence of the registration, any other nonce for fresh evidence.
 */
export async function checkAttestation(
  proof: InferenceProof,
  attestation: Attestation,
  nonce: string,
  policy: AttestationPolicy,
  nowSeconds: number,
): Promise<Finding> {
  const evidence = decode(attestation.evidence);
  const fault = bindingFault(proof, attestation, nonce);
  if (fault !== null) return fails(fault);
  const reportData = computeReportData(attestation.publicKey, proof.ledger, nonce);
  if (evidence === null || !isSameHex(keccak256(evidence), attestation.evidenceHash)) {
    return fails('the evidence does not match its hash: one of them was changed');
  }
  const certificates = attestation.certificates === undefined ? null : decode(attestation.certificates);
  const { trust = {} } = policy;
  const found = await readEvidence({ attestation, evidence, certificates, reportData, trust, nowSeconds });
  if (found.verdict !== 'true') return found;
  if (attestation.hardware !== found.hardware) {
    return fails(
      `the attestation claims ${attestation.hardware ? 'hardware' : 'no hardware'}, but the evidence shows: ${found.sentence}`,
    );
  }
  return judge(found, policy);
}

/**
 * Compares the attestation with the evidence hash, provider and hardware flag of the proof. Null when they
 * match.
 */
export function checkNamed(proof: InferenceProof, attestation: Attestation): Finding | null {
  const named = proof.attestation;
  if (!isSameHex(attestation.evidenceHash, named.evidenceHash)) {
    return fails(
      `the evidence (${short(attestation.evidenceHash)}) is not that of the proof (${short(named.evidenceHash)})`,
    );
  }
  if (attestation.provider !== named.provider) {
    return fails(
      `the proof names the provider ${named.provider}, but the attestation names ${attestation.provider}`,
    );
  }
  if (attestation.hardware === named.hardware) return null;
  const [one, other] = named.hardware ? ['hardware', 'no hardware'] : ['no hardware', 'hardware'];
  return fails(`the proof says ${one} for ${named.provider}, but the attestation says ${other}`);
}

/** The reason why a document is not for this key, proof ledger and nonce; null when it is. */
function bindingFault(proof: InferenceProof, attestation: Attestation, nonce: string): string | null {
  const { signer, publicKey, ledger, reportData } = attestation;
  if (!isSameHex(signer, proof.signer))
    return `the attestation is of the key ${signer}, not of ${proof.signer}`;
  if (computeSigner(publicKey) !== signer.toLowerCase())
    return 'the public key in the attestation is not that of its signer';
  const { chainId, verifyingContract } = proof.ledger;
  const elsewhere = ledgerFault(ledger, { chainId: BigInt(chainId), contract: verifyingContract });
  if (elsewhere !== null)
    return `the attestation is for another proof ledger: ${ledger.verifyingContract} on chain ${ledger.chainId}`;
  if (!isSameHex(attestation.nonce, nonce)) {
    return `the attestation is for the nonce ${short(attestation.nonce)}, not ${short(nonce)}`;
  }
  const expected = hexlify(computeReportData(publicKey, ledger, nonce));
  return isSameHex(reportData, expected)
    ? null
    : 'the report data does not bind this key, proof ledger and nonce';
}

function judge(
  found: EvidenceFinding,
  { requireHardware = false, measurements = {} }: AttestationPolicy,
): Finding {
  if (requireHardware && !found.hardware)
    return fails(`hardware is required, but the evidence shows: ${found.sentence}`);
  for (const [name, wanted] of Object.entries(measurements)) {
    const measured = findMeasurement(found, name);
    if (measured === null) return fails(`the evidence has no measurement ${name}`);
    if (!isSameHex(measured, wanted)) return fails(`the measurement ${name} is ${measured}, not ${wanted}`);
  }
  if (!found.hardware) return holds(found.sentence);
  const names = Object.keys(measurements);
  if (names.length > 0) return holds(`${found.sentence}; ${names.join(', ')} as expected`);
  return holds(
    `${found.sentence}; its code was not checked (measurements: ${Object.keys(found.measurements).join(', ')})`,
  );
}

function findMeasurement({ measurements }: EvidenceFinding, name: string): string | null {
  const found = Object.entries(measurements).find(([each]) => each.toLowerCase() === name.toLowerCase());
  return found?.[1] ?? null;
}

function computeSigner(publicKey: string): string | null {
  try {
    return computeAddress(publicKey).toLowerCase();
  } catch {
    return null;
  }
}

/** Null for a text that is no base64. Node reads such a text in part, and a browser does not. */
function decode(base64: string): Uint8Array | null {
  try {
    return decodeBase64(base64);
  } catch {
    return null;
  }
}
