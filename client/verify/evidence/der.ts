/** An ASN.1 value in DER. */
export type DerValue = { readonly tag: number; readonly content: Buffer; readonly whole: Buffer };

const tags = { oid: 0x06, boolean: 0x01 } as const;

/** Reads consecutive DER values. Throws a RangeError for invalid DER. */
export function readDer(bytes: Buffer): readonly DerValue[] {
  const values: DerValue[] = [];
  for (let at = 0; at < bytes.length; ) {
    const value = readValue(bytes.subarray(at));
    values.push(value);
    at += value.whole.length;
  }
  return values;
}

/** Reads one value. Certificates have no tags above 30 and no lengths above 2^32. */
function readValue(bytes: Buffer): DerValue {
  const tag = bytes.readUInt8(0);
  const first = bytes.readUInt8(1);
  const lengthBytes = first < 0x80 ? 0 : first & 0x7f;
  if (lengthBytes > 4 || first === 0x80) throw new RangeError('not a DER length');
  const length = lengthBytes === 0 ? first : bytes.readUIntBE(2, lengthBytes);
  const start = 2 + lengthBytes;
  if (start + length > bytes.length) throw new RangeError('a value longer than its bytes');
  return { tag, content: bytes.subarray(start, start + length), whole: bytes.subarray(0, start + length) };
}

export type Extension = { readonly isCritical: boolean; readonly value: Buffer };

/** The extensions of an X.509 certificate by object identifier. node:crypto shows only some of them. */
export function readExtensions(certificate: Buffer): ReadonlyMap<string, Extension> {
  const explicit = 0xa3;
  const [whole] = readDer(certificate);
  const [toBeSigned] = readDer(whole?.content ?? Buffer.alloc(0));
  const wrapped = readDer(toBeSigned?.content ?? Buffer.alloc(0)).find(({ tag }) => tag === explicit);
  const [list] = readDer(wrapped?.content ?? Buffer.alloc(0));
  const extensions = new Map<string, Extension>();
  for (const { content } of readDer(list?.content ?? Buffer.alloc(0))) {
    const parts = readDer(content);
    const oid = readOid(parts[0]);
    if (extensions.has(oid)) throw new RangeError('a duplicate extension');
    const isCritical = parts[1]?.tag === tags.boolean && parts[1].content[0] !== 0;
    extensions.set(oid, { isCritical, value: parts.at(-1)?.content ?? Buffer.alloc(0) });
  }
  return extensions;
}

function readOid(value: DerValue | undefined): string {
  if (value?.tag !== tags.oid) throw new RangeError('an extension without an object identifier');
  const arcs: number[] = [];
  let arc = 0;
  for (const byte of value.content) {
    arc = arc * 128 + (byte & 0x7f);
    if (byte < 0x80) {
      arcs.push(arc);
      arc = 0;
    }
  }
  const [first = 0, ...rest] = arcs;
  const root = Math.min(Math.floor(first / 40), 2);
  return [root, first - root * 40, ...rest].join('.');
}
