import { createHash } from 'node:crypto';
import type { SettlementType } from '@paid-inference/contract/types';
import type { OperationId } from '../http/contract.ts';
import type { Bytes32 } from '../types/units.ts';

/**
 * Requests with the same fingerprint are the same request: operation, settlement type, and hash of the
 * canonical JSON body, in which the order of keys does not matter (D-19), without nulls that count as absent (D-263)
 * and without the fields of the delivery (D-271). The proof of a body without both has the same hash, so a large body
 * is canonicalized once.
 */
export function fingerprintRequest(
  operation: OperationId,
  settlementType: SettlementType,
  requestHash: Bytes32,
): string {
  return createHash('sha256').update(`${operation}\n${settlementType}\n${requestHash}`).digest('hex');
}

export type Fingerprints = {
  readonly fingerprint: string;
  /** The fingerprint of the body as received, under which older versions stored a purchase (D-271). */
  readonly formerFingerprint: string;
};

/** Whether the store has a payment for this request. */
export function isForRequest(
  known: { readonly fingerprint: string },
  { fingerprint, formerFingerprint }: Fingerprints,
): boolean {
  return known.fingerprint === fingerprint || known.fingerprint === formerFingerprint;
}
