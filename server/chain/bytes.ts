import type { Bytes32, Hex } from '../types/units.ts';

export function toHex(bytes: Uint8Array): Hex {
  return `0x${Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('hex')}` as Hex;
}

/** Converts a hash or a key to hex. Throws unless `bytes` has 32 bytes. */
export function toBytes32(bytes: Uint8Array): Bytes32 {
  if (bytes.byteLength !== 32) throw new Error(`not 32 bytes but ${bytes.byteLength}`);
  return toHex(bytes) as Bytes32;
}

/** Reads hex digits without 0x. Throws for other characters; `Buffer.from` would ignore the rest of the text. */
export function fromDigits(digits: string): Buffer {
  const bytes = Buffer.from(digits, 'hex');
  if (bytes.length * 2 !== digits.length) throw new Error('the text is not hex');
  return bytes;
}
