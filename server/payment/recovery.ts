import { recoverAddress, Signature } from 'ethers';
import type { Keccak256 } from '../chain/keccak.ts';
import { type Address, parseAddress } from '../vocabulary/units.ts';
import type { SignatureRecovery } from './verify.ts';

/** The part of libsecp256k1's binding that is used; the package's types describe only its other entry point. */
type NativeCurve = {
  ecdsaRecover(rs: Uint8Array, recovery: number, digest: Uint8Array, compressed: boolean): Uint8Array;
};

/**
 * The fastest recovery that this machine has: libsecp256k1 where its binary is installed (about twenty times as fast as
 * ethers), ethers everywhere else. The binding is asked for by name, for the package's main entry falls back in silence.
 */
export async function createSignatureRecovery(keccak: Keccak256): Promise<SignatureRecovery> {
  try {
    // @ts-expect-error the package ships no types for this entry point
    const loaded = (await import('secp256k1/bindings.js')) as { default: NativeCurve };
    return nativeRecovery(loaded.default, keccak);
  } catch {
    return ethersRecovery;
  }
}

export const ethersRecovery: SignatureRecovery = {
  name: 'ethers',
  recover(digest, rs, recovery) {
    try {
      const [r, s] = [hex(rs.subarray(0, 32)), hex(rs.subarray(32))];
      return parseAddress(recoverAddress(digest, Signature.from({ r, s, v: 27 + recovery })));
    } catch {
      return null;
    }
  },
};

function nativeRecovery(curve: NativeCurve, keccak: Keccak256): SignatureRecovery {
  return {
    name: 'libsecp256k1',
    recover(digest, rs, recovery) {
      try {
        const publicKey = curve.ecdsaRecover(rs, recovery, digest, false);
        // The address is the last 20 bytes of the hash of the uncompressed point, without its leading 04.
        return hex(keccak(publicKey.subarray(1)).subarray(12)) as Address;
      } catch {
        return null;
      }
    },
  };
}

function hex(bytes: Uint8Array): string {
  return `0x${Buffer.from(bytes).toString('hex')}`;
}
