import type { Attestation, InferenceProof } from '@paid-inference/contract/types';
import { computeAddress, keccak256 } from 'ethers';
import { readEvidence } from './evidence/evidence.ts';
import type { AttestationTrust, EvidenceFinding } from './evidence/evidence-case.ts';
import { type Finding, fails, holds } from './finding.ts';
import { isSameHex, short } from './hex.ts';
import { reportDataOf } from './report-data.ts';
import { ledgerFault } from './signature.ts';

/** What the caller asks of a machine. */
export type AttestationPolicy = {
  /** Makes evidence of anything but a trusted execution environment false. */
  readonly requireHardware?: boolean;
  /** Measurements as the evidence must show them, by the vendor's names (`MRTD`, `PCR0`, `image_digest`). */
  readonly measurements?: Readonly<Record<string, string>>;
  readonly trust?: AttestationTrust;
};

/**
 * Whether the evidence stands, binds this key and this ledger, and answers this nonce. Nothing that the document says of
 * itself counts: what it should bind is computed here, and what it measured is read from what was signed.
 * With the nonce of zeros it must be the evidence that the proof names; with another it is fresh.
 */
export async function checkAttestation(
  proof: InferenceProof,
  attestation: Attestation,
  nonce: string,
  policy: AttestationPolicy,
  nowSeconds: number,
): Promise<Finding> {
  const evidence = Buffer.from(attestation.evidence, 'base64');
  const fault = bindingFault(proof, attestation, nonce);
  if (fault !== null) return fails(fault);
  const reportData = reportDataOf(attestation.publicKey, proof.ledger, nonce);
  if (!isSameHex(keccak256(evidence), attestation.evidenceHash)) {
    return fails('the evidence is not the one that its hash names: one of them was changed');
  }
  const certificates =
    attestation.certificates === undefined ? null : Buffer.from(attestation.certificates, 'base64');
  const { trust = {} } = policy;
  const found = await readEvidence({ attestation, evidence, certificates, reportData, trust, nowSeconds });
  if (found.verdict !== 'true') return found;
  if (attestation.hardware !== found.hardware) {
    return fails(
      `it says of itself that it is ${attestation.hardware ? 'hardware' : 'no hardware'}, and ${found.sentence}`,
    );
  }
  return judge(found, policy);
}

/** Evidence that the ledger and the proof name by its hash. */
export function checkNamed(proof: InferenceProof, attestation: Attestation): Finding | null {
  const named = proof.attestation;
  if (!isSameHex(attestation.evidenceHash, named.evidenceHash)) {
    return fails(
      `the evidence (${short(attestation.evidenceHash)}) is not that of the proof (${short(named.evidenceHash)})`,
    );
  }
  if (attestation.provider !== named.provider) {
    return fails(
      `the proof names ${named.provider} as who attests, and the attestation ${attestation.provider}`,
    );
  }
  if (attestation.hardware === named.hardware) return null;
  const [one, other] = named.hardware ? ['hardware', 'none'] : ['no hardware', 'some'];
  return fails(`the proof names ${one} behind ${named.provider}, and the attestation ${other}`);
}

/** Why a document is not about this key, this ledger and this nonce; null where it is. */
function bindingFault(proof: InferenceProof, attestation: Attestation, nonce: string): string | null {
  const { signer, publicKey, ledger, reportData } = attestation;
  if (!isSameHex(signer, proof.signer))
    return `the attestation is of the key ${signer}, not of ${proof.signer}`;
  if (addressOf(publicKey) !== signer.toLowerCase())
    return 'the public key in the attestation is not that of its signer';
  const { chainId, verifyingContract } = proof.ledger;
  const elsewhere = ledgerFault(ledger, { chainId: BigInt(chainId), contract: verifyingContract });
  if (elsewhere !== null)
    return `the attestation is for another ledger: ${ledger.verifyingContract} on chain ${ledger.chainId}`;
  if (!isSameHex(attestation.nonce, nonce)) {
    return `the attestation answers the nonce ${short(attestation.nonce)}, not ${short(nonce)}`;
  }
  const expected = reportDataOf(publicKey, ledger, nonce).toString('hex');
  return isSameHex(reportData, expected) ? null : 'the report data does not bind this key, ledger and nonce';
}

function judge(
  found: EvidenceFinding,
  { requireHardware = false, measurements = {} }: AttestationPolicy,
): Finding {
  if (requireHardware && !found.hardware) return fails(`hardware is required, and this is ${found.sentence}`);
  for (const [name, wanted] of Object.entries(measurements)) {
    const measured = measurementOf(found, name);
    if (measured === null) return fails(`the evidence has no measurement ${name}`);
    if (!isSameHex(measured, wanted)) return fails(`the measurement ${name} is ${measured}, not ${wanted}`);
  }
  if (!found.hardware) return holds(found.sentence);
  const names = Object.keys(measurements);
  if (names.length > 0) return holds(`${found.sentence}; ${names.join(', ')} as expected`);
  return holds(
    `${found.sentence}; what code it runs was not asked (${Object.keys(found.measurements).join(', ')})`,
  );
}

function measurementOf({ measurements }: EvidenceFinding, name: string): string | null {
  const found = Object.entries(measurements).find(([each]) => each.toLowerCase() === name.toLowerCase());
  return found?.[1] ?? null;
}

function addressOf(publicKey: string): string | null {
  try {
    return computeAddress(publicKey).toLowerCase();
  } catch {
    return null;
  }
}
