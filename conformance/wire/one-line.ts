/** Longest quotation of the target in one line, in characters. */
const charactersMax = 160;

/** Quotes text of the target in one line: without line breaks and control characters, and shortened. */
export function asOneLine(text: string): string {
  const line = text.replace(/[\p{C}\s]+/gu, ' ').trim();
  return line.length > charactersMax ? `${line.slice(0, charactersMax)}…` : line;
}
