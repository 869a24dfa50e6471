/**
 * A target's words as they may stand in any document or terminal: whatever is invisible, obeyed by a terminal, reorders what
 * stands beside it, or is no character at all becomes its escape. Line breaks and tabs stay.
 */
export function visible(text: string): string {
  return text.replace(/(?![\n\t])[\p{C}\p{Zl}\p{Zp}]/gu, (character) => {
    const digits = (character.codePointAt(0) ?? 0).toString(16);
    return `\\u{${digits}}`;
  });
}

/**
 * Text in which no CI finds a command. `::` has a meaning at the beginning of a line only, where none of a target's words
 * stand; `##[…]`, `##vso[…]` and `##teamcity[…]` are looked for anywhere in a line.
 */
export function uncommanded(text: string): string {
  return text.replace(commandMark, '#\\u{23}');
}

/** The same within JSON, of which a reader gets back what was written. */
export function uncommandedJson(text: string): string {
  return text.replace(commandMark, '#\\u0023');
}

const commandMark = /##(?=[a-z]*\[)/gi;

/** The same as `visible` without line breaks, cut to a length that fits where it is to stand. */
export function visibleLine(text: string, charactersMax: number): string {
  const line = visible(text.slice(0, charactersMax).replace(/\s+/g, ' ').trim());
  return text.length > charactersMax ? `${line}…` : line;
}
