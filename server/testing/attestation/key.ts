import { createKeccak } from '../../chain/keccak.ts';
import { createEnclaveKey } from '../../proof/enclave-key.ts';
import type { Address } from '../../types/units.ts';

export const keccak = await createKeccak();

/** Creates an enclave key, as a gateway does at its start. */
export function testKey() {
  return createEnclaveKey(keccak);
}

export const testLedger = {
  name: 'InferenceLedger',
  version: '1',
  chainId: 31_740,
  verifyingContract: `0x${'dd'.repeat(20)}` as Address,
} as const;

/** 64 bytes of our report data, and 64 other bytes. */
export const ourReportData: Uint8Array = Buffer.from(Array.from({ length: 64 }, (_, at) => at + 1));
export const otherData: Uint8Array = Buffer.from(Array.from({ length: 64 }, (_, at) => at + 2));
