/** Compares hex without letter case and without `0x`. */
export function isSameHex(one: string, other: string): boolean {
  return bare(one) === bare(other);
}

export function toHex(bytes: Uint8Array): string {
  return `0x${Buffer.from(bytes).toString('hex')}`;
}

export function toBytes(hex: string): Buffer {
  return Buffer.from(bare(hex), 'hex');
}

/** Shortens a hash to its first and last digits. */
export function short(hex: string): string {
  return hex.length <= 14 ? hex : `${hex.slice(0, 10)}…${hex.slice(-4)}`;
}

function bare(hex: string): string {
  return hex.toLowerCase().replace(/^0x/, '');
}
