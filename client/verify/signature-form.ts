/** Half of the order of secp256k1: of the two values of `s` that fit, the lower is the one that contracts take (EIP-2). */
const sMax = 0x7fffffffffffffffffffffffffffffff5d576e7357a4501ddfe92f46681b20a0n;

/**
 * Whether 65 bytes of a signature are written as ledger contract and token take them: a low `s`, and 27 or 28 as `v`.
 * ethers reads several other forms of the same signature, so that bytes could be changed unseen.
 */
export function isCanonicalSignature(signature: string): boolean {
  const [, s, v] = /^0x[0-9a-f]{64}([0-9a-f]{64})([0-9a-f]{2})$/i.exec(signature) ?? [];
  if (s === undefined || v === undefined) return false;
  return BigInt(`0x${s}`) <= sMax && /^1[bc]$/i.test(v);
}
