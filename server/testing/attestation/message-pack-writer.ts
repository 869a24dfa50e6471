/**
 * The values that the writer supports: text, bytes, small whole numbers, lists, maps with keys of text, and
 * null.
 */
export type MessagePackValue =
  | number
  | string
  | null
  | Uint8Array
  | readonly MessagePackValue[]
  | { readonly [name: string]: MessagePackValue };

/**
 * Writes MessagePack like dstack's serializer: maps by name, and bytes as lists of numbers. A `Uint8Array` is
 * written as bytes.
 */
export function writeMessagePack(value: MessagePackValue): Buffer {
  if (value === null) return Buffer.of(0xc0);
  if (typeof value === 'number') return writeNumber(value);
  if (typeof value === 'string') return sized(Buffer.byteLength(value), 0xda, Buffer.from(value));
  if (value instanceof Uint8Array) return sized(value.length, 0xc5, value);
  if (Array.isArray(value)) {
    const list = value as readonly MessagePackValue[];
    return sized(list.length, 0xdc, Buffer.concat(list.map(writeMessagePack)));
  }
  const members = Object.entries(value as Readonly<Record<string, MessagePackValue>>);
  const content = members.flatMap(([name, each]) => [writeMessagePack(name), writeMessagePack(each)]);
  return Buffer.concat([Buffer.of(0x80 | members.length), ...content]);
}

function writeNumber(value: number): Buffer {
  return value < 0x80 ? Buffer.of(value) : Buffer.of(0xcc, value);
}

/** Writes every length in 16 bits, even when fewer are enough. */
function sized(length: number, type: number, content: Uint8Array): Buffer {
  const head = Buffer.alloc(3);
  head.writeUInt8(type);
  head.writeUInt16BE(length, 1);
  return Buffer.concat([head, content]);
}
