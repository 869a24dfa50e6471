import { type ByteCursor, byteCursor, depthMax } from './byte-cursor.ts';

/** A value of a dstack attestation. Maps have keys of text. */
export type MessagePack =
  | number
  | boolean
  | null
  | string
  | Uint8Array
  | readonly MessagePack[]
  | MessagePackMap;
type MessagePackMap = ReadonlyMap<string, MessagePack>;

/**
 * Reads one value of MessagePack without floats, extensions, and negative integers of more than a byte. The
 * fields that the gateway reads of a dstack attestation have none of these. Null for everything else, and for
 * trailing bytes.
 * @see https://github.com/msgpack/msgpack/blob/master/spec.md
 */
export function readMessagePack(bytes: Uint8Array): { readonly value: MessagePack } | null {
  const cursor = byteCursor(bytes);
  try {
    const value = readValue(cursor, 0);
    return cursor.isAtEnd() ? { value } : null;
  } catch {
    return null;
  }
}

function readValue(cursor: ByteCursor, depth: number): MessagePack {
  if (depth > depthMax) throw new Error('nested too deeply');
  const type = cursor.uint(1);
  if (type < 0x80) return type;
  if (type < 0x90) return readMap(cursor, type & 0x0f, depth);
  if (type < 0xa0) return readArray(cursor, type & 0x0f, depth);
  if (type < 0xc0) return cursor.take(type & 0x1f).toString('utf8');
  if (type >= 0xe0) return type - 0x100;
  switch (type) {
    case 0xc0:
      return null;
    case 0xc2:
    case 0xc3:
      return type === 0xc3;
    case 0xc4:
    case 0xc5:
    case 0xc6:
      return cursor.take(cursor.uint(2 ** (type - 0xc4)));
    case 0xcc:
    case 0xcd:
    case 0xce:
    case 0xcf:
      return cursor.uint(2 ** (type - 0xcc));
    case 0xd9:
    case 0xda:
    case 0xdb:
      return cursor.take(cursor.uint(2 ** (type - 0xd9))).toString('utf8');
    case 0xdc:
    case 0xdd:
      return readArray(cursor, cursor.uint(2 ** (type - 0xdb)), depth);
    case 0xde:
    case 0xdf:
      return readMap(cursor, cursor.uint(2 ** (type - 0xdd)), depth);
    default:
      throw new Error('an unsupported type');
  }
}

function readArray(cursor: ByteCursor, size: number, depth: number): readonly MessagePack[] {
  return Array.from({ length: cursor.count(size) }, () => readValue(cursor, depth + 1));
}

function readMap(cursor: ByteCursor, size: number, depth: number): MessagePackMap {
  const map = new Map<string, MessagePack>();
  for (let left = cursor.count(size); left > 0; left -= 1) {
    const key = readValue(cursor, depth + 1);
    if (typeof key !== 'string' || map.has(key))
      throw new Error('a key that is not text, or a duplicate key');
    map.set(key, readValue(cursor, depth + 1));
  }
  return map;
}
