import { getBytes, hexlify, Signature, SigningKey } from 'ethers';
import secp256k1 from 'secp256k1';

/**
 * Lets ethers sign and recover by libsecp256k1 in this process. A run of the suite against a fake target spends two
 * fifths of its time on signatures in JavaScript. The results are the same to the byte; see `native-curve.test.ts`.
 */
export function useNativeCurve(): void {
  SigningKey.recoverPublicKey = (digest, signature) => {
    const { r, s, yParity } = Signature.from(signature);
    const rs = getBytes(`${r}${s.slice(2)}`);
    return hexlify(secp256k1.ecdsaRecover(rs, yParity, getBytes(digest), false));
  };
  SigningKey.prototype.sign = function sign(this: SigningKey, digest) {
    const { signature, recid } = secp256k1.ecdsaSign(getBytes(digest), getBytes(this.privateKey));
    const [r, s] = [signature.subarray(0, 32), signature.subarray(32)].map((half) => hexlify(half));
    return Signature.from({ r: r ?? '', s: s ?? '', v: 27 + recid });
  };
}
