/**
 * Reads an id or an address as people paste it: in capitals, with spaces or quotes, or without 0x. Null for a text with
 * another number of bytes.
 */
export function readHex(text: string, bytes: number): string | null {
  const digits = text
    .replace(/[\s"'`,;\u200b-\u200d\ufeff]/g, '')
    .toLowerCase()
    .replace(/^0x/, '');
  return digits.length === 2 * bytes && /^[\da-f]+$/.test(digits) ? `0x${digits}` : null;
}
