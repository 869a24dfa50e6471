/** The values that the writer supports: text, whole numbers, bytes, lists, maps and null. */
export type CborValue =
  | number
  | string
  | null
  | Uint8Array
  | readonly CborValue[]
  | ReadonlyMap<number | string, CborValue>;

/** Writes CBOR (RFC 8949) in its shortest form, for test documents. */
export function writeCbor(value: CborValue): Buffer {
  if (value === null) return Buffer.of(0xf6);
  if (typeof value === 'number') return value < 0 ? head(1, -1 - value) : head(0, value);
  if (typeof value === 'string')
    return Buffer.concat([head(3, Buffer.byteLength(value)), Buffer.from(value)]);
  if (value instanceof Uint8Array) return Buffer.concat([head(2, value.length), value]);
  if (value instanceof Map) {
    const members = [...(value as ReadonlyMap<number | string, CborValue>)];
    return Buffer.concat([
      head(5, members.length),
      ...members.flatMap(([key, each]) => [writeCbor(key), writeCbor(each)]),
    ]);
  }
  const list = value as readonly CborValue[];
  return Buffer.concat([head(4, list.length), ...list.map(writeCbor)]);
}

function head(major: number, argument: number): Buffer {
  const type = major << 5;
  if (argument < 24) return Buffer.of(type | argument);
  if (argument < 0x100) return Buffer.of(type | 24, argument);
  const wide = Buffer.alloc(argument < 0x10000 ? 3 : argument < 0x100000000 ? 5 : 9);
  wide.writeUInt8(type | (wide.length === 3 ? 25 : wide.length === 5 ? 26 : 27));
  if (wide.length === 9) wide.writeBigUInt64BE(BigInt(argument), 1);
  else wide.writeUIntBE(argument, 1, wide.length - 1);
  return wide;
}
