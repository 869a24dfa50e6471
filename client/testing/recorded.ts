import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { TdxCollateral } from '../verify/evidence/tdx-collateral.ts';

/** Evidence of real machines. recorded/README.md names its origin. */
export type RecordedQuote = {
  readonly quote: Buffer;
  readonly reportData: Buffer;
  readonly collateral: TdxCollateral;
};
export type RecordedReport = {
  readonly report: Buffer;
  readonly reportData: Buffer;
  readonly vcek: Buffer;
  readonly ask: Buffer;
  readonly ark: Buffer;
};

/** A time at which its collateral is valid. */
export const recordedQuoteAt = Date.parse('2025-07-01T00:00:00Z') / 1000;
/** A time at which the chip's certificate is valid. */
export const recordedReportAt = 1_760_000_000;

export function readRecordedQuote(): RecordedQuote {
  const { quote: text, collateral } = readJson('tdx.json');
  const quote = Buffer.from(text, 'base64');
  const reportDataAt = 48 + 520;
  return { quote, reportData: quote.subarray(reportDataAt, reportDataAt + 64), collateral };
}

export function readRecordedReport(file: 'sev-snp.json' | 'sev-snp-debug.json'): RecordedReport {
  const read = readJson(file);
  const bytes = (name: string) => Buffer.from(read[name], 'base64');
  const report = bytes('report');
  return {
    report,
    reportData: report.subarray(0x50, 0x90),
    vcek: bytes('vcek'),
    ask: bytes('ask'),
    ark: bytes('ark'),
  };
}

/**
 * The certificate table that a host gives to its guest: GUID, offset and length of each, a zero row, the
 * certificates.
 */
export function certificateTable(ders: readonly Buffer[]): Buffer {
  const guids = [
    '63da758de6644564adc5f4b93be8accd',
    '4ab7b379bbac4fe4a02f05aef327c782',
    'c0b406a4a803495297433fb6014cd0ae',
  ];
  let offset = (guids.length + 1) * 24;
  const rows = ders.map((der, index) => {
    const row = Buffer.alloc(24);
    row.write(guids[index] ?? '', 'hex');
    row.writeUInt32LE(offset, 16);
    row.writeUInt32LE(der.length, 20);
    offset += der.length;
    return row;
  });
  return Buffer.concat([...rows, Buffer.alloc(24), ...ders]);
}

function readJson(file: string) {
  return JSON.parse(readFileSync(join(import.meta.dirname, 'recorded', file), 'utf8'));
}
