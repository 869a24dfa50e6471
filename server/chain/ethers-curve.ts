import { getBytes, Signature, SigningKey } from 'ethers';
import { toHex } from './bytes.ts';
import type { Curve } from './native-curve.ts';

/** The curve in JavaScript. It takes about twenty times as long as libsecp256k1, and 30 MB of memory. */
export const ethersCurve: Curve = {
  name: 'ethers',
  ecdsaRecover(rs, recovery, digest, compressed) {
    const [r, s] = [toHex(rs.subarray(0, 32)), toHex(rs.subarray(32))];
    const point = SigningKey.recoverPublicKey(digest, Signature.from({ r, s, v: 27 + recovery }));
    return getBytes(SigningKey.computePublicKey(point, compressed));
  },
  ecdsaSign(digest, privateKey) {
    const { r, s, yParity } = new SigningKey(privateKey).sign(digest);
    return { signature: getBytes(r + s.slice(2)), recid: yParity };
  },
  publicKeyCreate: (privateKey, compressed) => getBytes(SigningKey.computePublicKey(privateKey, compressed)),
  privateKeyVerify(privateKey) {
    try {
      SigningKey.computePublicKey(privateKey);
      return true;
    } catch {
      return false;
    }
  },
};
