import type { Result } from '../../types/result.ts';
import type { UnixSeconds } from '../../types/units.ts';

/** All kinds of providers, in the order in which `auto` tries them. Only the last is not hardware (D-75). */
export const providerKinds = [
  'configfs-tsm',
  'dstack',
  'confidential-space',
  'nitriding',
  'software',
] as const;

export type ProviderKind = (typeof providerKinds)[number];

/** Evidence that carries the requested report data or a commitment to it. The provider has compared both. */
export type Report = {
  /** The format of the evidence, such as `tdx-quote`; the contract's `Attestation.format`. */
  readonly format: string;
  readonly evidence: Uint8Array;
  /** The certificates of the evidence, as the provider returns them. */
  readonly certificates?: Uint8Array;
  /** Measurements, named as the provider names them. */
  readonly measurements?: Readonly<Record<string, string>>;
  readonly issuedAt: UnixSeconds;
};

/**
 * Why there is no report, as one sentence without a full stop. `isAbsent` says that the provider does not run
 * here.
 */
export type ReportFault = { readonly isAbsent: boolean; readonly message: string };

/**
 * A source of evidence about the machine of this process. `attest` takes 64 bytes and ends within its own
 * deadline. Evidence that does not carry the bytes is a fault, never a report.
 */
export interface AttestationProvider {
  readonly kind: ProviderKind;
  /** Whether a trusted execution environment signs the evidence. */
  readonly hardware: boolean;
  /** The number of reports that the provider can make at the same time. */
  readonly concurrentMax: number;
  attest(reportData: Uint8Array): Promise<Result<Report, ReportFault>>;
}

export function absent(message: string): ReportFault {
  return { isAbsent: true, message };
}

export function failed(message: string): ReportFault {
  return { isAbsent: false, message };
}

/** The fault of evidence without the requested 64 bytes: the evidence may be old, or for another key. */
export const otherReportData = failed('the evidence carries other report data than was asked for');

export function sameBytes(left: Uint8Array, right: Uint8Array): boolean {
  return Buffer.from(left).equals(right);
}
