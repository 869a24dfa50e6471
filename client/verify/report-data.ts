import { createHash } from 'node:crypto';
import { attestationBinding } from '@paid-inference/contract/constants';
import type { LedgerDomain } from '@paid-inference/contract/types';
import { toBeHex } from 'ethers';
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
): Buffer {
  const key = createHash('sha256')
    .update(attestationBinding)
    .update(Uint8Array.of(0))
    .update(toBytes(publicKey))
    .update(toBytes(toBeHex(chainId, 32)))
    .update(toBytes(verifyingContract))
    .digest();
  return Buffer.concat([key, createHash('sha256').update(toBytes(nonce)).digest()]);
}
