/**
 * What the gateway reads of an Intel TDX quote: whether it carries our report data, whether the host can look inside, and
 * the measurements by their names. Signatures are for whoever verifies.
 * Intel TDX DCAP Quoting Library API, appendix 3 (versions 4 and 5 of the quote).
 */
export type TdxQuote = {
  readonly reportData: Uint8Array;
  readonly isDebug: boolean;
  readonly measurements: Readonly<Record<string, string>>;
};

const teeTypeTdx = 0x81;
const headerBytes = 48;
/** Version 5 says type and size of the body before the body. */
const descriptorBytes = 6;
/** Of the body of TDX 1.0, which the body of TDX 1.5 begins with. */
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

/** Null for what is no such quote, or one of a version that this does not know. */
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
    // Bit 0 of the attributes: a debug domain's memory is open to the host.
    isDebug: (body.readUInt8(offset.attributes) & 1) === 1,
    measurements: Object.fromEntries(named.map((name) => [name, register(offset[name])])),
  };
}
