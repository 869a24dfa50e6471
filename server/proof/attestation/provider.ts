import type { Result } from '../../types/result.ts';
import type { UnixSeconds } from '../../types/units.ts';

/** Who can attest, in the order in which `auto` asks; only the last is no hardware (D-75). */
export const providerKinds = [
  'configfs-tsm',
  'dstack',
  'confidential-space',
  'nitriding',
  'software',
] as const;

export type ProviderKind = (typeof providerKinds)[number];

/** Evidence that carries the report data that was asked for, or a commitment to it: whoever made it has compared. */
export type Report = {
  /** What the evidence is, such as `tdx-quote`; the contract's `Attestation.format`. */
  readonly format: string;
  readonly evidence: Uint8Array;
  /** Certificates that came with it, as the provider hands them out. */
  readonly certificates?: Uint8Array;
  /** Measurements by the provider's own names. */
  readonly measurements?: Readonly<Record<string, string>>;
  readonly issuedAt: UnixSeconds;
};

/** Why there is no report, in one sentence without a full stop. Nobody at home is `isAbsent`; everything else is trouble. */
export type ReportFault = { readonly isAbsent: boolean; readonly message: string };

/**
 * Something that can say on what machine this process runs. `attest` takes 64 bytes and is done within its own deadline;
 * evidence that does not carry them is a fault, never a report.
 */
export interface AttestationProvider {
  readonly kind: ProviderKind;
  /** Whether a trusted execution environment signs the evidence. */
  readonly hardware: boolean;
  /** Reports that it may be asked for at the same time. */
  readonly concurrentMax: number;
  attest(reportData: Uint8Array): Promise<Result<Report, ReportFault>>;
}

export function absent(message: string): ReportFault {
  return { isAbsent: true, message };
}

export function failed(message: string): ReportFault {
  return { isAbsent: false, message };
}

/** Evidence without the 64 bytes that were asked for may be somebody else's, or an old one. */
export const otherReportData = failed('the evidence carries other report data than was asked for');

export function sameBytes(left: Uint8Array, right: Uint8Array): boolean {
  return Buffer.from(left).equals(right);
}
