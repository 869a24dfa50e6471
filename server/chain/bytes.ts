import type { Bytes32, Hex } from '../types/units.ts';

export function hexOf(bytes: Uint8Array): Hex {
  return `0x${Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('hex')}` as Hex;
}

/** The same for a hash or a key, whose length is part of its type. */
export function bytes32Of(bytes: Uint8Array): Bytes32 {
  if (bytes.byteLength !== 32) throw new Error(`not 32 bytes but ${bytes.byteLength}`);
  return hexOf(bytes) as Bytes32;
}
