import { type ByteCursor, byteCursor, depthMax } from './byte-cursor.ts';

/** A value of a Nitro attestation document. Maps have keys of text or of numbers. */
export type Cbor = number | boolean | null | string | Uint8Array | readonly Cbor[] | ReadonlyMap<Cbor, Cbor>;

/**
 * Reads one value of CBOR (RFC 8949), limited to the part that COSE_Sign1 and the Nitro document use: integers,
 * strings, arrays, maps, tags, null and booleans, all of definite length. Null for everything else, and for
 * trailing bytes.
 */
export function readCbor(bytes: Uint8Array): { readonly value: Cbor } | null {
  const cursor = byteCursor(bytes);
  try {
    const value = readValue(cursor, 0);
    return cursor.isAtEnd() ? { value } : null;
  } catch {
    return null;
  }
}

function readValue(cursor: ByteCursor, depth: number): Cbor {
  if (depth > depthMax) throw new Error('nested too deeply');
  const first = cursor.uint(1);
  const [major, minor] = [first >> 5, first & 0x1f];
  if (major === 7) return readSimple(minor);
  const argument = readArgument(cursor, minor);
  switch (major) {
    case 0:
      return argument;
    case 1:
      return -1 - argument;
    case 2:
      return cursor.take(argument);
    case 3:
      return cursor.take(argument).toString('utf8');
    case 4:
      return Array.from({ length: cursor.count(argument) }, () => readValue(cursor, depth + 1));
    case 5:
      return readMap(cursor, cursor.count(argument), depth);
    default:
      // A tag describes the next value. The reader needs only the value, also for the tag of COSE_Sign1 (18).
      return readValue(cursor, depth + 1);
  }
}

function readMap(cursor: ByteCursor, size: number, depth: number): ReadonlyMap<Cbor, Cbor> {
  const map = new Map<Cbor, Cbor>();
  for (let left = size; left > 0; left -= 1) {
    const key = readValue(cursor, depth + 1);
    if (map.has(key)) throw new Error('a duplicate key');
    map.set(key, readValue(cursor, depth + 1));
  }
  return map;
}

function readArgument(cursor: ByteCursor, minor: number): number {
  if (minor < 24) return minor;
  if (minor > 27) throw new Error('an indefinite length');
  return cursor.uint(2 ** (minor - 24));
}

function readSimple(minor: number): Cbor {
  if (minor === 20 || minor === 21) return minor === 21;
  if (minor === 22) return null;
  throw new Error('an unsupported simple value or a float');
}
