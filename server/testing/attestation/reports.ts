// Synthetic reports: made here, not recorded and not signed. They have the fields that the gateway reads, at
// the offsets of the hardware's specifications.

/** Makes a TDX quote of version 4 or 5 with this report data; `isDebug` makes the domain a debug domain. */
export function tdxQuote(reportData: Uint8Array, { version = 4, isDebug = false } = {}): Buffer {
  const header = Buffer.alloc(48);
  header.writeUInt16LE(version, 0);
  header.writeUInt16LE(2, 2);
  header.writeUInt32LE(0x81, 4);
  const body = Buffer.alloc(584);
  body.writeUInt8(isDebug ? 1 : 0, 120);
  body.fill(0xa0, 136, 184);
  for (const [index, at] of [328, 376, 424, 472].entries()) body.fill(0xb0 + index, at, at + 48);
  body.set(reportData, 520);
  const descriptor = Buffer.alloc(6);
  descriptor.writeUInt16LE(2, 0);
  descriptor.writeUInt32LE(body.length, 2);
  const signature = Buffer.alloc(4 + 600, 0x5a);
  return Buffer.concat([header, ...(version === 5 ? [descriptor] : []), body, signature]);
}

/** Makes an SEV-SNP report with this report data; `isDebug` allows the host to read the guest's memory. */
export function snpReport(reportData: Uint8Array, { isDebug = false } = {}): Buffer {
  const report = Buffer.alloc(0x4a0);
  report.writeUInt32LE(3, 0);
  report.writeBigUInt64LE(0x3_0000n | (isDebug ? 1n << 19n : 0n), 0x08);
  report.set(reportData, 0x50);
  report.fill(0xc1, 0x90, 0xc0);
  report.fill(0xd1, 0xc0, 0xe0);
  return report;
}
