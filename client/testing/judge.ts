import { ledgerDomainName, ledgerDomainVersion } from '@paid-inference/contract/constants';
import type { Attestation, LedgerDomain } from '@paid-inference/contract/types';
import { type AttestationPolicy, checkAttestation } from '../verify/attestation.ts';
import { readEvidence } from '../verify/evidence/evidence.ts';
import type { AttestationTrust, EvidenceFinding } from '../verify/evidence/evidence-case.ts';
import { zeroNonce } from '../verify/report-data.ts';
import { type Attester, createEnclave, type Evidence } from './enclave.ts';

const ledger: LedgerDomain = {
  name: ledgerDomainName,
  version: ledgerDomainVersion,
  chainId: 31_740,
  verifyingContract: '0xdddddddddddddddddddddddddddddddddddddddd',
};

export type Judgement = {
  readonly attester: Attester;
  readonly trust: AttestationTrust;
  readonly nowSeconds: number;
  readonly policy?: Omit<AttestationPolicy, 'trust'>;
  /** Changes the document after it was made. */
  readonly bend?: (attestation: Attestation) => Attestation;
};

/** Checks the evidence of a registered key of this machine. Returns verdict and sentence. */
export async function judge({ attester, trust, nowSeconds, policy, bend }: Judgement): Promise<string> {
  const enclave = await createEnclave(ledger, attester);
  const bare = { request: 1, response: 1, model: 'm', settlementType: 'private', timestamp: 1 } as const;
  const proof = await enclave.prove(bare);
  const attestation = bend?.(enclave.boot) ?? enclave.boot;
  const found = await checkAttestation(proof, attestation, zeroNonce, { ...policy, trust }, nowSeconds);
  return `${found.verdict}: ${found.sentence}`;
}

/** Reads recorded evidence with the report data that it should carry. */
export async function readRecorded(
  { format, evidence, certificates }: Evidence,
  reportData: Uint8Array,
  nowSeconds: number,
  trust: AttestationTrust = {},
): Promise<EvidenceFinding> {
  const { boot } = await createEnclave(ledger);
  return readEvidence({
    attestation: { ...boot, format },
    evidence: Buffer.from(evidence),
    certificates: certificates === undefined ? null : Buffer.from(certificates),
    reportData: Buffer.from(reportData),
    trust,
    nowSeconds,
  });
}
