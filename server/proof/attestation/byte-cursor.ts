/** Reads bytes from the front. Reading beyond the end throws, so that a reader of a format need not ask at every step. */
export type ByteCursor = {
  isAtEnd(): boolean;
  take(length: number): Buffer;
  /** Big-endian, of 1, 2, 4 or 8 bytes; 8 bytes beyond what a number holds exactly are refused. */
  uint(length: number): number;
  /** A count of what follows, each of at least one byte: a larger one is a lie and would make us allocate for it. */
  count(claimed: number): number;
};

export function byteCursor(bytes: Uint8Array): ByteCursor {
  const source = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  let at = 0;
  const take = (length: number) => {
    if (length > source.length - at) throw new Error('the bytes end too early');
    at += length;
    return source.subarray(at - length, at);
  };
  return {
    isAtEnd: () => at === source.length,
    take,
    uint(length) {
      if (length < 8) return take(length).readUIntBE(0, length);
      const value = Number(take(8).readBigUInt64BE());
      if (!Number.isSafeInteger(value)) throw new Error('an integer is too large');
      return value;
    },
    count(claimed) {
      if (claimed > source.length - at) throw new Error('a count is larger than what follows');
      return claimed;
    },
  };
}

/** Nesting beyond this is nobody's evidence. */
export const depthMax = 16;
