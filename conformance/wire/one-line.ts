/** Characters of a target's words that one line repeats. */
const charactersMax = 160;

/** A target's words within a line of our own: no line break, nothing that a terminal obeys, and not all of a page. */
export function asOneLine(text: string): string {
  const line = text.replace(/[\p{C}\s]+/gu, ' ').trim();
  return line.length > charactersMax ? `${line.slice(0, charactersMax)}…` : line;
}
