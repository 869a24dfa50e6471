import { createHash } from 'node:crypto';
import { attestationBinding } from '@paid-inference/contract/constants';
import type { LedgerDomain } from '@paid-inference/contract/types';
import type { Bytes32, Hex } from '../../types/units.ts';

/** The nonce of the evidence that a key is registered with, which no caller requested. */
export const zeroNonce = `0x${'00'.repeat(32)}` as Bytes32;

const publicKeyBytes = 65;

/**
 * Computes the 64 bytes that evidence must carry (contract, `Attestation`). The first half names the key and
 * the ledger that the key signs for, and is the same for every report of a key. The second half is the caller's
 * nonce.
 */
export function computeReportData({
  publicKey,
  ledger,
  nonce,
}: {
  /** 65 bytes, uncompressed. */
  readonly publicKey: Hex;
  readonly ledger: Pick<LedgerDomain, 'chainId' | 'verifyingContract'>;
  readonly nonce: Bytes32;
}): Uint8Array {
  const point = decodeHex(publicKey);
  if (point.length !== publicKeyBytes)
    throw new Error(`the public key must have ${publicKeyBytes} bytes, not ${point.length}`);
  const chainId = Buffer.from(ledger.chainId.toString(16).padStart(64, '0'), 'hex');
  const key = createHash('sha256')
    .update(attestationBinding)
    .update(Uint8Array.of(0))
    .update(point)
    .update(chainId)
    .update(decodeHex(ledger.verifyingContract))
    .digest();
  return Buffer.concat([key, createHash('sha256').update(decodeHex(nonce)).digest()]);
}

function decodeHex(hex: string): Buffer {
  return Buffer.from(hex.slice(2), 'hex');
}
