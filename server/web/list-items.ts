/** Browsers send far shorter lists. One of 30 KB, split again for each choice, holds up other clients (D-343). */
const lengthMax = 1_024;

/** The items of a header that is a list (RFC 9110 5.6.1). None without the header, and for a list that is too long. */
export function listItems(header: string | undefined): readonly string[] {
  if (header === undefined || header.length > lengthMax) return [];
  return header.split(',').map((item) => item.trim());
}
