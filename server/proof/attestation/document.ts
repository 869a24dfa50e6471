import { attestationBinding } from '@paid-inference/contract/constants';
import type { Attestation, AttestationSummary, LedgerDomain } from '@paid-inference/contract/types';
import { toBytes32, toHex } from '../../chain/bytes.ts';
import type { Keccak256 } from '../../chain/keccak.ts';
import type { Bytes32 } from '../../types/units.ts';
import type { EnclaveKey } from '../enclave-key.ts';
import type { AttestationProvider, Report } from './provider.ts';

/** The statement of a gateway without hardware evidence. */
export const softwareStatement =
  'Not a TEE: this gateway runs as an ordinary process, and nothing but the process attests to it.';

/** Writes a report in the form of the contract, with all parts of its report data (D-30). */
export function presentAttestation({
  provider,
  enclaveKey,
  ledger,
  nonce,
  reportData,
  report,
  keccak,
}: {
  readonly provider: Pick<AttestationProvider, 'kind' | 'hardware'>;
  readonly enclaveKey: Pick<EnclaveKey, 'address' | 'publicKey'>;
  readonly ledger: LedgerDomain;
  readonly nonce: Bytes32;
  readonly reportData: Uint8Array;
  readonly report: Report;
  readonly keccak: Keccak256;
}): Attestation {
  const { certificates, measurements } = report;
  return {
    provider: provider.kind,
    hardware: provider.hardware,
    statement: provider.hardware ? hardwareStatement(report.format) : softwareStatement,
    signer: enclaveKey.address,
    publicKey: enclaveKey.publicKey,
    binding: attestationBinding,
    ledger,
    nonce,
    reportData: toHex(reportData),
    format: report.format,
    evidence: Buffer.from(report.evidence).toString('base64'),
    evidenceHash: toBytes32(keccak(report.evidence)),
    ...(certificates && { certificates: Buffer.from(certificates).toString('base64') }),
    ...(measurements && { measurements }),
    issuedAt: report.issuedAt,
  };
}

/** The summary of the signer's evidence, as an inference proof contains it. */
export function summariseAttestation({ provider, hardware, evidenceHash }: Attestation): AttestationSummary {
  return { provider, hardware, evidenceHash };
}

/**
 * The statement of hardware evidence. The gateway verifies no evidence. The evidence does not cover a model
 * elsewhere.
 */
function hardwareStatement(format: string): string {
  return (
    `Evidence of a trusted execution environment (${format}), which the gateway has not verified: verify it, and compare ` +
    'its measurements with those of a build that you trust. It covers the gateway; a model that runs on another machine ' +
    'is not covered.'
  );
}
