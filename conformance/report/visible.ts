/**
 * Makes text of a target safe for any document or terminal. Control characters, characters that change the text
 * direction, and unassigned characters become escapes. Line breaks and tabs stay.
 */
export function visible(text: string): string {
  return text.replace(/(?![\n\t])[\p{C}\p{Zl}\p{Zp}]/gu, (character) => {
    const digits = (character.codePointAt(0) ?? 0).toString(16);
    return `\\u{${digits}}`;
  });
}

/**
 * Escapes the commands of CI systems. `::` has a meaning only at the beginning of a line, where text of a
 * target never stands. `##[…]`, `##vso[…]` and `##teamcity[…]` have a meaning anywhere in a line.
 */
export function uncommanded(text: string): string {
  return text.replace(commandMark, '#\\u{23}');
}

/** The same for JSON text: a JSON parser returns the original text. */
export function uncommandedJson(text: string): string {
  return text.replace(commandMark, '#\\u0023');
}

/** Hides what may be a private key in a message about the command line: a key may stand in a wrong place. */
export function withoutKeys(text: string): string {
  return text.replace(keys, '<secret>');
}

/** Lists what may be a private key in words of the command line. */
export function listKeys(words: readonly string[]): readonly string[] {
  return words.flatMap((word) => word.match(keys) ?? []);
}

/** A key may lack a digit, or have some too many. An address has 40 digits. */
const keys = /(0x)?[0-9a-f]{48,}/gi;

const commandMark = /##(?=[a-z]*\[)/gi;

/** Like `visible`, but without line breaks, and cut to a length. */
export function visibleLine(text: string, charactersMax: number): string {
  const line = visible(text.slice(0, charactersMax).replace(/\s+/g, ' ').trim());
  return text.length > charactersMax ? `${line}…` : line;
}
