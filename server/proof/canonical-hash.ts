import canonicalize from 'canonicalize';
import { bytes32Of } from '../chain/bytes.ts';
import type { Keccak256 } from '../chain/keccak.ts';
import type { Bytes32 } from '../types/units.ts';

/**
 * keccak256 of the canonical JSON of a body (RFC 8785, in UTF-8), which is the same whatever the order of its keys, its
 * white space, and how its strings are escaped and its numbers written (D-29). Null for what has no canonical form: a
 * string that is not well-formed Unicode, and a number such as 1e400, which JSON.parse reads as infinite.
 */
export type CanonicalHash = (body: unknown) => Bytes32 | null;

export function createCanonicalHash(keccak: Keccak256): CanonicalHash {
  return (body) => {
    const text = canonicalOf(body);
    return text === null ? null : bytes32Of(keccak(Buffer.from(text)));
  };
}

function canonicalOf(body: unknown): string | null {
  try {
    return canonicalize(body) ?? null;
  } catch {
    return null;
  }
}
