import { attestationBinding } from '@paid-inference/contract/constants';
import type { LedgerDomain } from '@paid-inference/contract/types';
import { concat, getBytes, sha256, toBeHex, toUtf8Bytes } from 'ethers';
import { toBytes } from './hex.ts';

/** The nonce of the evidence of a key's registration. */
export const zeroNonce = `0x${'00'.repeat(32)}`;

/**
 * The 64 bytes that evidence must carry, always computed here: enclave key and proof ledger in the first half,
 * the caller's nonce in the second (contract, `Attestation`).
 */
export function computeReportData(
  publicKey: string,
  { chainId, verifyingContract }: Pick<LedgerDomain, 'chainId' | 'verifyingContract'>,
  nonce: string,
): Uint8Array {
  const bound = [toUtf8Bytes(attestationBinding), '0x00', toBytes(publicKey)];
  const key = sha256(concat([...bound, toBeHex(chainId, 32), toBytes(verifyingContract)]));
  return getBytes(concat([key, sha256(toBytes(nonce))]));
}
