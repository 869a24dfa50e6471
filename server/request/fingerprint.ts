import { createHash } from 'node:crypto';
import type { SettlementType } from '@paid-inference/contract/types';
import canonicalize from 'canonicalize';
import type { OperationId } from '../http/contract.ts';

/**
 * What makes two requests the same request: operation, settlement type, and the body in canonical JSON (RFC 8785), so
 * that another order of keys is no other request (D-19). Null for a body that has no canonical form: one with a lone
 * surrogate in a string, or with a number such as 1e400, which JSON.parse reads as infinite.
 */
export function fingerprintOf(
  operation: OperationId,
  settlementType: SettlementType,
  body: unknown,
): string | null {
  try {
    const canonical = canonicalize(body);
    if (canonical === undefined) return null;
    return createHash('sha256').update(`${operation}\n${settlementType}\n${canonical}`).digest('hex');
  } catch {
    return null;
  }
}
