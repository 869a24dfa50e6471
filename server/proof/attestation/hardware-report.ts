import { fail, ok, type Result } from '../../types/result.ts';
import type { UnixSeconds } from '../../types/units.ts';
import { failed, otherReportData, type Report, type ReportFault, sameBytes } from './provider.ts';
import { readSnpReport } from './snp-report.ts';
import { readTdxQuote } from './tdx-quote.ts';

/** The readers of reports of processors that carry the 64 bytes of report data unchanged. */
const readers = { 'tdx-quote': readTdxQuote, 'sev-snp-report': readSnpReport } as const;

export type HardwareFormat = keyof typeof readers;

/**
 * Accepts a processor's report that carries our report data and comes from a machine whose memory the host
 * cannot read. Its signature is not checked here: a verifier checks it (D-79).
 */
export function acceptReport(
  format: HardwareFormat,
  evidence: Uint8Array,
  reportData: Uint8Array,
  issuedAt: UnixSeconds,
): Result<Report & { readonly measurements: Readonly<Record<string, string>> }, ReportFault> {
  const read = readers[format](evidence);
  if (read === null) return fail(failed(`the evidence is not a ${format}`));
  if (!sameBytes(read.reportData, reportData)) return fail(otherReportData);
  if (read.isDebug) return fail(failed('the machine runs in debug mode, and the host can read its memory'));
  return ok({ format, evidence, measurements: read.measurements, issuedAt });
}
