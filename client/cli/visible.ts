/**
 * A stranger's words as they may stand in a terminal: what a terminal obeys, what reorders the line around it, and halves
 * of characters become escapes that can be seen. Line breaks and tabs stay, and so do joiners, which emoji and many
 * scripts are written with.
 */
export function visible(text: string): string {
  return text.replaceAll('\r\n', '\n').replace(unseen, escapeOf);
}

/** The same for what is one line: a line break in it would look like a line of ours. */
export function visibleLine(text: string): string {
  return visible(text).replace(/[\n\t]/g, escapeOf);
}

/** JSON with nothing in it that a terminal obeys. JSON itself escapes no more than the first 32 of them. */
export function visibleJson(value: object): string {
  return JSON.stringify(value).replace(unseen, (character) => `\\u${digitsOf(character).padStart(4, '0')}`);
}

const unseen = /(?![\n\t])[\p{Cc}\p{Cs}\u2028\u2029\u202a-\u202e\u2066-\u2069]/gu;

function escapeOf(character: string): string {
  return `\\u{${digitsOf(character)}}`;
}

function digitsOf(character: string): string {
  return (character.codePointAt(0) ?? 0).toString(16);
}
