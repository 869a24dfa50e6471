import { type Address, type Bytes32, parseAddress } from '../types/units.ts';
import { fromDigits, toHex } from './bytes.ts';
import { type Keccak256, keccak256 } from './keccak.ts';
import { type Curve, loadNativeCurve } from './native-curve.ts';

/** Libsecp256k1 if its binary is installed, else ethers, which only then is loaded. */
export const curve: Curve = await loadCurve();

async function loadCurve(): Promise<Curve> {
  const native = await loadNativeCurve();
  return native === null
    ? (await import('./ethers-curve.ts')).ethersCurve
    : { ...native, name: 'libsecp256k1' };
}

/** The address of a private key. Throws for a number outside the range of the curve. */
export function computeAddress(privateKey: Bytes32): Address {
  return publicKeyAddress(keccak256, curve.publicKeyCreate(fromDigits(privateKey.slice(2)), false));
}

/** The address of an uncompressed public key: the last 20 bytes of its hash, without its leading 04. */
export function publicKeyAddress(keccak: Keccak256, publicKey: Uint8Array): Address {
  return toHex(keccak(publicKey.subarray(1)).subarray(12)) as Address;
}

/** Reads an address whose letters, if they have both cases, hold its checksum (EIP-55); null for anything else. */
export function parseChecksummedAddress(text: string): Address | null {
  const address = parseAddress(text);
  const letters = text.slice(2).replace(/[0-9]/g, '');
  if (address === null || letters === letters.toLowerCase() || letters === letters.toUpperCase())
    return address;
  const hash = toHex(keccak256(Buffer.from(address.slice(2)))).slice(2);
  const isRight = [...text.slice(2)].every(
    (digit, at) => digit === ((hash[at] ?? '') >= '8' ? digit.toUpperCase() : digit.toLowerCase()),
  );
  return isRight ? address : null;
}
