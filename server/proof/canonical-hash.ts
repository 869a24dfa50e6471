import canonicalize from 'canonicalize';
import { toBytes32 } from '../chain/bytes.ts';
import type { Keccak256 } from '../chain/keccak.ts';
import type { Bytes32 } from '../types/units.ts';

/**
 * Hashes a body: keccak256 of its canonical JSON (RFC 8785, in UTF-8). The order of keys, white space, escapes
 * and the spelling of numbers do not change the hash (D-29). Null for a body without a canonical form: a string
 * that is not well-formed Unicode, or a number such as 1e400, which JSON.parse reads as infinite.
 */
export type CanonicalHash = (body: unknown) => Bytes32 | null;

export function createCanonicalHash(keccak: Keccak256): CanonicalHash {
  return (body) => {
    const text = writeCanonical(body);
    return text === null ? null : toBytes32(keccak(Buffer.from(text)));
  };
}

function writeCanonical(body: unknown): string | null {
  try {
    return canonicalize(body) ?? null;
  } catch {
    return null;
  }
}
