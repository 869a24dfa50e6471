/**
 * Reads bytes from the front. A read beyond the end throws, so a reader of a format needs no check at every
 * step.
 */
export type ByteCursor = {
  isAtEnd(): boolean;
  take(length: number): Buffer;
  /** Reads 1, 2, 4 or 8 bytes, big-endian. Throws above the safe integers. */
  uint(length: number): number;
  /**
   * Checks a count of items of at least one byte each. Throws when the bytes left cannot hold them, before
   * allocation.
   */
  count(claimed: number): number;
};

export function byteCursor(bytes: Uint8Array): ByteCursor {
  const source = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  let at = 0;
  const take = (length: number) => {
    if (length > source.length - at) throw new Error('unexpected end of the bytes');
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
      if (claimed > source.length - at) throw new Error('a count is larger than the bytes left');
      return claimed;
    },
  };
}

/** The deepest nesting that the readers accept. No valid evidence is nested deeper. */
export const depthMax = 16;
