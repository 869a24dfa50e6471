/** Bytes as hex digits without 0x. */
type Digits = string;

/**
 * Encodes a number without leading zeros. Throws outside uint256.
 * @see https://ethereum.org/developers/docs/data-structures-and-encoding/rlp
 */
export function rlpNumber(value: bigint): Digits {
  if (value < 0n || value >> 256n !== 0n) throw new Error('the number is outside uint256');
  const digits = value === 0n ? '' : value.toString(16);
  return rlpBytes(digits.length % 2 === 0 ? digits : `0${digits}`);
}

/** Encodes a byte string. */
export function rlpBytes(digits: Digits): Digits {
  if (digits.length === 2 && digits < '80') return digits;
  return header(0x80, digits.length / 2) + digits;
}

/** Encodes a list of encoded items. */
export function rlpList(items: readonly Digits[]): Digits {
  const body = items.join('');
  return header(0xc0, body.length / 2) + body;
}

/** The longest body whose length fits into the first byte. */
const shortMax = 55;

function header(kind: number, length: number): Digits {
  if (length <= shortMax) return (kind + length).toString(16);
  const digits = length.toString(16);
  const whole = digits.length % 2 === 0 ? digits : `0${digits}`;
  return (kind + shortMax + whole.length / 2).toString(16) + whole;
}

/**
 * Decodes a list of byte strings that `rlpList` encoded. An empty list within it becomes an empty string. Throws
 * for anything else.
 */
export function readRlpList(encoded: Digits): readonly Digits[] {
  const outer = readItem(encoded, 0);
  if (!outer.isList || outer.end !== encoded.length) throw new Error('the bytes are not one RLP list');
  const items: Digits[] = [];
  for (let at = outer.start; at < outer.end; ) {
    const { isList, start, end } = readItem(encoded, at);
    if (end > outer.end || (isList && end > start)) throw new Error('the RLP list has an unexpected item');
    items.push(encoded.slice(start, end));
    at = end;
  }
  return items;
}

/** Where the body of an item starts and ends. */
function readItem(encoded: Digits, at: number): { isList: boolean; start: number; end: number } {
  const first = Number.parseInt(encoded.slice(at, at + 2), 16);
  if (first < 0x80) return { isList: false, start: at, end: at + 2 };
  const isList = first >= 0xc0;
  const short = first - (isList ? 0xc0 : 0x80);
  const start = at + 2 + 2 * Math.max(0, short - shortMax);
  const length = short <= shortMax ? short : Number.parseInt(encoded.slice(at + 2, start), 16);
  const end = start + 2 * length;
  // Also false for NaN, where a header is cut off.
  if (!(end <= encoded.length)) throw new Error('the RLP item is cut off');
  return { isList, start, end };
}
