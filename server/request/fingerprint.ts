import { createHash } from 'node:crypto';
import type { SettlementType } from '@paid-inference/contract/types';
import type { OperationId } from '../http/contract.ts';
import type { Bytes32 } from '../types/units.ts';

/**
 * What makes two requests the same request: operation, settlement type, and the body in canonical JSON, so that another
 * order of keys is no other request (D-19). The body comes as its hash, which the proof needs too: a large one is brought
 * into canonical form once.
 */
export function fingerprintOf(
  operation: OperationId,
  settlementType: SettlementType,
  inputHash: Bytes32,
): string {
  return createHash('sha256').update(`${operation}\n${settlementType}\n${inputHash}`).digest('hex');
}
