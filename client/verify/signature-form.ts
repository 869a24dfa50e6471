/**
 * Half of the order of secp256k1. Contracts accept only the lower of the two possible values of `s` (EIP-2).
 */
const sMax = 0x7fffffffffffffffffffffffffffffff5d576e7357a4501ddfe92f46681b20a0n;

/**
 * Whether a signature has the form that proof ledger and token accept: 65 bytes with a low `s` and 27 or 28 as
 * `v`. ethers accepts several other forms, so without this check changed bytes would pass.
 */
export function isCanonicalSignature(signature: string): boolean {
  const [, s, v] = /^0x[0-9a-f]{64}([0-9a-f]{64})([0-9a-f]{2})$/i.exec(signature) ?? [];
  if (s === undefined || v === undefined) return false;
  return BigInt(`0x${s}`) <= sMax && /^1[bc]$/i.test(v);
}
