import { randomBytes } from 'node:crypto';
import { SigningKey } from 'ethers';
import { toHex } from '../chain/bytes.ts';
import type { Keccak256 } from '../chain/keccak.ts';
import type { NativeCurve } from '../chain/native-curve.ts';
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

/**
 * Makes a new key. A signature takes about 30 µs with libsecp256k1, and twenty times as long with ethers
 * (null).
 */
export function createEnclaveKey(keccak: Keccak256, curve: NativeCurve | null): EnclaveKey {
  const { publicKey, sign } = curve === null ? ethersKey() : nativeKey(curve);
  // The address is the last 20 bytes of the hash of the uncompressed point, without its leading 04.
  const address = toHex(keccak(publicKey.subarray(1)).subarray(12)) as Address;
  return { address, publicKey: toHex(publicKey), sign };
}

type Half = { readonly publicKey: Uint8Array; readonly sign: EnclaveKey['sign'] };

function nativeKey(curve: NativeCurve): Half {
  const secret = newSecret((bytes) => curve.privateKeyVerify(bytes));
  return {
    publicKey: curve.publicKeyCreate(secret, false),
    sign(digest) {
      const { signature, recid } = curve.ecdsaSign(digest, secret);
      return toHex(Buffer.concat([signature, Buffer.of(27 + recid)]));
    },
  };
}

function ethersKey(): Half {
  const key = new SigningKey(newSecret(isOnCurve));
  return {
    publicKey: Buffer.from(key.publicKey.slice(2), 'hex'),
    sign: (digest) => key.sign(digest).serialized as Hex,
  };
}

/** Returns 32 random bytes in the curve's range. All but one in 2^127 are in it. */
function newSecret(isInRange: (bytes: Uint8Array) => boolean): Uint8Array {
  for (;;) {
    const bytes = randomBytes(32);
    if (isInRange(bytes)) return bytes;
  }
}

function isOnCurve(bytes: Uint8Array): boolean {
  try {
    SigningKey.computePublicKey(bytes);
    return true;
  } catch {
    return false;
  }
}
