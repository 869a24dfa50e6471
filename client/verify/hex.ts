/** Compares hex without letter case and without `0x`. */
export function isSameHex(one: string, other: string): boolean {
  return bare(one) === bare(other);
}

/** Reads pairs of digits. A pair that is no hex becomes a zero. */
export function toBytes(hex: string): Uint8Array {
  return Uint8Array.from(bare(hex).match(/../g) ?? [], (pair) => Number.parseInt(pair, 16));
}

/** Shortens a hash to its first and last digits. */
export function short(hex: string): string {
  return hex.length <= 14 ? hex : `${hex.slice(0, 10)}…${hex.slice(-4)}`;
}

function bare(hex: string): string {
  return hex.toLowerCase().replace(/^0x/, '');
}
