import type { Attestation } from '@paid-inference/contract/types';
import type { JSONWebKeySet } from 'jose';
import type { Finding } from '../finding.ts';
import type { TdxCollateral } from './tdx-collateral.ts';

/** Trust anchors for hardware. What is left out is pinned here, or fetched from the vendor. */
export type AttestationTrust = {
  /** SHA-256 of root certificates, in hex. */
  readonly nitroRoots?: readonly string[];
  readonly snpRoots?: readonly SnpRoot[];
  /** Fetched from Intel when left out. */
  readonly tdxCollateral?: TdxCollateral;
  /** Keys of Confidential Space's attestation service; fetched when left out. */
  readonly tokenKeys?: JSONWebKeySet;
};

export type SnpRoot = { readonly product: 'Milan' | 'Genoa' | 'Turin'; readonly sha256: string };

/** Evidence and its expected content. */
export type EvidenceCase = {
  readonly attestation: Attestation;
  readonly evidence: Uint8Array;
  readonly certificates: Uint8Array | null;
  /** 64 bytes, computed from key, proof ledger and nonce. */
  readonly reportData: Uint8Array;
  readonly trust: AttestationTrust;
  readonly nowSeconds: number;
};

/** The same, as the readers of hardware evidence take it. */
export type HardwareCase = Omit<EvidenceCase, 'evidence' | 'certificates' | 'reportData'> & {
  readonly evidence: Buffer;
  readonly certificates: Buffer | null;
  readonly reportData: Buffer;
};

/** Reads evidence of one format. */
export type EvidenceReader = (given: EvidenceCase) => Promise<EvidenceFinding> | EvidenceFinding;

/** How far the clock that dated the evidence may be ahead of ours, in seconds. */
export const clockSkewSecondsMax = 300;

/** The result of reading evidence. Measurements come from the signed part, by the vendor's names. */
export type EvidenceFinding = Finding & {
  readonly hardware: boolean;
  readonly measurements: Readonly<Record<string, string>>;
};

/** The result for valid evidence. */
export function shows(
  sentence: string,
  hardware: boolean,
  measurements: Readonly<Record<string, string>>,
): EvidenceFinding {
  return { verdict: 'true', sentence, hardware, measurements };
}

/** The result for invalid evidence. */
export function refutes(sentence: string): EvidenceFinding {
  return { verdict: 'false', sentence, hardware: false, measurements: {} };
}

/** The result for evidence that cannot be checked, because data is missing. */
export function unreadable(sentence: string): EvidenceFinding {
  return { verdict: 'unknown', sentence, hardware: false, measurements: {} };
}
