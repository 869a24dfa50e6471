/**
 * The parts of an Intel TDX quote that the gateway reads: its report data, whether the host can read the
 * domain's memory, and the named measurements. A verifier checks the signatures. Intel TDX DCAP Quoting Library
 * API, appendix 3 (versions 4 and 5 of the quote).
 */
export type TdxQuote = {
  readonly reportData: Uint8Array;
  readonly isDebug: boolean;
  readonly measurements: Readonly<Record<string, string>>;
};

const teeTypeTdx = 0x81;
const headerBytes = 48;
/** Version 5 has the type and the size of the body before the body. */
const descriptorBytes = 6;
/** The size of the body of TDX 1.0. The body of TDX 1.5 begins with the same fields. */
const bodyBytes = 584;
const registerBytes = 48;

const offset = {
  attributes: 120,
  MRTD: 136,
  MRCONFIGID: 184,
  MROWNER: 232,
  RTMR0: 328,
  RTMR1: 376,
  RTMR2: 424,
  RTMR3: 472,
  reportData: 520,
} as const;

const named = ['MRTD', 'MRCONFIGID', 'MROWNER', 'RTMR0', 'RTMR1', 'RTMR2', 'RTMR3'] as const;

/** Null for bytes that are not such a quote, and for another version. */
export function readTdxQuote(bytes: Uint8Array): TdxQuote | null {
  const quote = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (quote.length < headerBytes || quote.readUInt32LE(4) !== teeTypeTdx) return null;
  const version = quote.readUInt16LE(0);
  if (version !== 4 && version !== 5) return null;
  const start = version === 4 ? headerBytes : headerBytes + descriptorBytes;
  const body = quote.subarray(start);
  if (body.length < bodyBytes) return null;
  const register = (at: number) => body.subarray(at, at + registerBytes).toString('hex');
  return {
    reportData: body.subarray(offset.reportData, bodyBytes),
    // Bit 0 of the attributes: the host can read the memory of a debug domain.
    isDebug: (body.readUInt8(offset.attributes) & 1) === 1,
    measurements: Object.fromEntries(named.map((name) => [name, register(offset[name])])),
  };
}
