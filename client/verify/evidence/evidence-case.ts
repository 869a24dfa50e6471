import type { Attestation } from '@paid-inference/contract/types';
import type { JSONWebKeySet } from 'jose';
import type { Finding } from '../finding.ts';
import type { TdxCollateral } from './tdx-collateral.ts';

/** Who may vouch for hardware. What is left out is the vendor's own, pinned here or asked for where it changes. */
export type AttestationTrust = {
  /** SHA-256 of root certificates, in hex. */
  readonly nitroRoots?: readonly string[];
  readonly snpRoots?: readonly SnpRoot[];
  /** Fetched from Intel where it is left out. */
  readonly tdxCollateral?: TdxCollateral;
  /** Keys of Confidential Space's attestation service; fetched from there where they are left out. */
  readonly tokenKeys?: JSONWebKeySet;
};

export type SnpRoot = { readonly product: 'Milan' | 'Genoa' | 'Turin'; readonly sha256: string };

/** Evidence, and what it should say. */
export type EvidenceCase = {
  readonly attestation: Attestation;
  readonly evidence: Buffer;
  readonly certificates: Buffer | null;
  /** 64 bytes, computed from key, ledger and nonce. */
  readonly reportData: Buffer;
  readonly trust: AttestationTrust;
  readonly nowSeconds: number;
};

/** What evidence shows. Its measurements are read from what was signed, by the names that the vendor gives them. */
export type EvidenceFinding = Finding & {
  readonly hardware: boolean;
  readonly measurements: Readonly<Record<string, string>>;
};

/** Evidence that is good, by whoever signed it. */
export function shows(
  sentence: string,
  hardware: boolean,
  measurements: Readonly<Record<string, string>>,
): EvidenceFinding {
  return { verdict: 'true', sentence, hardware, measurements };
}

/** Evidence that is not what it should be. */
export function refutes(sentence: string): EvidenceFinding {
  return { verdict: 'false', sentence, hardware: false, measurements: {} };
}

/** Evidence that may be good: what it takes to know is not here. */
export function unreadable(sentence: string): EvidenceFinding {
  return { verdict: 'unknown', sentence, hardware: false, measurements: {} };
}
