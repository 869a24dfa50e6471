import { randomBytes } from 'node:crypto';
import { toHex } from '../chain/bytes.ts';
import { curve, publicKeyAddress } from '../chain/curve.ts';
import type { Keccak256 } from '../chain/keccak.ts';
import type { Curve } from '../chain/native-curve.ts';
import type { Address, Hex } from '../types/units.ts';

/**
 * The key that signs inferences. It is made at start, ends with the process, and is never written or logged.
 */
export type EnclaveKey = {
  readonly address: Address;
  /** 65 bytes, uncompressed. */
  readonly publicKey: Hex;
  /**
   * Returns r, s and v in 65 bytes, s in the lower half, v 27 or 28: the form that the ledger contract
   * recovers.
   */
  sign(digest: Uint8Array): Hex;
};

/** Makes a new key. */
export function createEnclaveKey(keccak: Keccak256, using: Curve = curve): EnclaveKey {
  const secret = newSecret(using);
  const publicKey = using.publicKeyCreate(secret, false);
  return {
    address: publicKeyAddress(keccak, publicKey),
    publicKey: toHex(publicKey),
    sign(digest) {
      const { signature, recid } = using.ecdsaSign(digest, secret);
      return toHex(Buffer.concat([signature, Buffer.of(27 + recid)]));
    },
  };
}

/** Returns 32 random bytes in the curve's range. All but one in 2^127 are in it. */
function newSecret(using: Curve): Uint8Array {
  for (;;) {
    const bytes = randomBytes(32);
    if (using.privateKeyVerify(bytes)) return bytes;
  }
}
