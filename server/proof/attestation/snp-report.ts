/**
 * The parts of an AMD SEV-SNP attestation report that the gateway reads: its report data, whether the host can
 * read the guest's memory, and the named measurements. A verifier checks the signatures. SEV-SNP Firmware ABI
 * Specification (56860), table "ATTESTATION_REPORT structure".
 */
export type SnpReport = {
  readonly reportData: Uint8Array;
  readonly isDebug: boolean;
  readonly measurements: Readonly<Record<string, string>>;
};

const reportBytes = 0x4a0;
const offset = {
  policy: 0x08,
  reportData: 0x50,
  measurement: 0x90,
  hostData: 0xc0,
  idKeyDigest: 0xe0,
} as const;
/** POLICY.DEBUG: the guest owner allows the host to read the guest's memory. */
const debugBit = 1n << 19n;

/** Null for bytes that are not such a report. */
export function readSnpReport(bytes: Uint8Array): SnpReport | null {
  const report = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (report.length !== reportBytes || report.readUInt32LE(0) < 2) return null;
  return {
    reportData: report.subarray(offset.reportData, offset.measurement),
    isDebug: (report.readBigUInt64LE(offset.policy) & debugBit) !== 0n,
    measurements: {
      MEASUREMENT: report.subarray(offset.measurement, offset.hostData).toString('hex'),
      HOST_DATA: report.subarray(offset.hostData, offset.idKeyDigest).toString('hex'),
    },
  };
}
