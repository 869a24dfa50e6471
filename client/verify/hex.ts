/** Whether two texts are the same bytes: letter case carries no meaning in hex, `0x` neither. */
export function isSameHex(one: string, other: string): boolean {
  return bare(one) === bare(other);
}

export function hexOf(bytes: Uint8Array): string {
  return `0x${Buffer.from(bytes).toString('hex')}`;
}

export function bytesOf(hex: string): Buffer {
  return Buffer.from(bare(hex), 'hex');
}

/** Enough of a hash to tell it from another. */
export function short(hex: string): string {
  return hex.length <= 14 ? hex : `${hex.slice(0, 10)}…${hex.slice(-4)}`;
}

function bare(hex: string): string {
  return hex.toLowerCase().replace(/^0x/, '');
}
