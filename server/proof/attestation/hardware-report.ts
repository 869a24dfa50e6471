import { fail, ok, type Result } from '../../types/result.ts';
import type { UnixSeconds } from '../../types/units.ts';
import { failed, otherReportData, type Report, type ReportFault, sameBytes } from './provider.ts';
import { readSnpReport } from './snp-report.ts';
import { readTdxQuote } from './tdx-quote.ts';

/** Reports of processors that carry our 64 bytes as they are. */
const readers = { 'tdx-quote': readTdxQuote, 'sev-snp-report': readSnpReport } as const;

export type HardwareFormat = keyof typeof readers;

/**
 * Takes a processor's report for ours when it carries our report data and comes from a machine that is closed to its
 * host. Its signature is left to whoever verifies (D-79).
 */
export function acceptReport(
  format: HardwareFormat,
  evidence: Uint8Array,
  reportData: Uint8Array,
  issuedAt: UnixSeconds,
): Result<Report & { readonly measurements: Readonly<Record<string, string>> }, ReportFault> {
  const read = readers[format](evidence);
  if (read === null) return fail(failed(`what was given is no ${format}`));
  if (!sameBytes(read.reportData, reportData)) return fail(otherReportData);
  if (read.isDebug) return fail(failed('the machine runs in debug mode, its memory open to the host'));
  return ok({ format, evidence, measurements: read.measurements, issuedAt });
}
