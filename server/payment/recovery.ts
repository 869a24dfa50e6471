import { curve, publicKeyAddress } from '../chain/curve.ts';
import type { Keccak256 } from '../chain/keccak.ts';
import type { Curve } from '../chain/native-curve.ts';
import type { SignatureRecovery } from './signature.ts';

/** Recovers signers with the fastest library of this machine. */
export function createSignatureRecovery(keccak: Keccak256, using: Curve = curve): SignatureRecovery {
  return {
    name: using.name,
    recover(digest, rs, recovery) {
      try {
        return publicKeyAddress(keccak, using.ecdsaRecover(rs, recovery, digest, false));
      } catch {
        return null;
      }
    },
  };
}
