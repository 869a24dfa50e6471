/**
 * Makes foreign text safe for a terminal: control characters, bidirectional controls and lone surrogates become
 * visible escapes. Line breaks and tabs stay, and so do joiners, which emoji and many scripts need.
 */
export function visible(text: string): string {
  return text.replaceAll('\r\n', '\n').replace(unseen, escapeCharacter);
}

/** The same for text of one line, in which a line break could imitate a line of this program. */
export function visibleLine(text: string): string {
  return visible(text).replace(/[\n\t]/g, escapeCharacter);
}

/** JSON without characters that control a terminal. JSON itself escapes only the first 32 of them. */
export function visibleJson(value: object): string {
  return JSON.stringify(value).replace(
    unseen,
    (character) => `\\u${toHexDigits(character).padStart(4, '0')}`,
  );
}

/** A key may lack a digit, or have some too many. An address has 40 digits. */
const keys = /(0x)?[0-9a-f]{48,}/gi;

/** Hides each private key in a message about arguments: 48 hexadecimal digits or more (D-425). */
export function hideKeys(text: string): string {
  return text.replace(keys, '<secret>');
}

/** The same for a text with transaction hashes: it hides only what is among the given texts. */
export function hideGivenKeys(text: string, given: readonly (string | undefined)[]): string {
  const found = given.flatMap((each) => each?.match(keys) ?? []);
  return found.reduce((hidden, key) => hidden.replaceAll(key, '<secret>'), text);
}

const unseen = /(?![\n\t])[\p{Cc}\p{Cs}\u2028\u2029\u202a-\u202e\u2066-\u2069]/gu;

function escapeCharacter(character: string): string {
  return `\\u{${toHexDigits(character)}}`;
}

function toHexDigits(character: string): string {
  return (character.codePointAt(0) ?? 0).toString(16);
}
