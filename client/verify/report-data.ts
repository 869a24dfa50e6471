import { createHash } from 'node:crypto';
import { attestationBinding } from '@paid-inference/contract/constants';
import type { LedgerDomain } from '@paid-inference/contract/types';
import { toBeHex } from 'ethers';
import { bytesOf } from './hex.ts';

/** The nonce of the evidence that a key was registered with. */
export const zeroNonce = `0x${'00'.repeat(32)}`;

/**
 * The 64 bytes that evidence must carry, computed from what they bind and never taken from the document: the enclave key
 * and the ledger in the first half, the caller's nonce in the second (contract, `Attestation`).
 */
export function reportDataOf(
  publicKey: string,
  { chainId, verifyingContract }: Pick<LedgerDomain, 'chainId' | 'verifyingContract'>,
  nonce: string,
): Buffer {
  const key = createHash('sha256')
    .update(attestationBinding)
    .update(Uint8Array.of(0))
    .update(bytesOf(publicKey))
    .update(bytesOf(toBeHex(chainId, 32)))
    .update(bytesOf(verifyingContract))
    .digest();
  return Buffer.concat([key, createHash('sha256').update(bytesOf(nonce)).digest()]);
}
