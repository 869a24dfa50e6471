/** Splits a text into words in lower case: plurals become singular, `camelCase` and `snake_case` are split. */
export function splitWords(text: string): readonly string[] {
  const parted = text.replace(/(\p{Ll}|\p{N})(?=\p{Lu})/gu, '$1 ');
  return (parted.match(/[\p{L}\p{N}]+/gu) ?? []).map((word) => singular(word.toLowerCase()));
}

/** Returns the words with a meaning of their own: no articles, pronouns or general verbs. */
export function tellingWords(text: string): readonly string[] {
  return splitWords(text).filter((word) => word.length > 1 && !commonWords.has(word));
}

/** Returns the most frequent telling words, the earlier first on a tie. */
export function findKeywords(text: string, wordsMax: number): readonly string[] {
  const counts = new Map<string, number>();
  for (const word of tellingWords(text)) {
    if (word.length > 2 && word.length < 24) counts.set(word, (counts.get(word) ?? 0) + 1);
  }
  const byCount = [...counts].toSorted(([, a], [, b]) => b - a);
  return byCount.slice(0, wordsMax).map(([word]) => word);
}

/** Joins items: `a, b and c`. */
export function listed(items: readonly string[]): string {
  const last = items.at(-1) ?? '';
  return items.length < 2 ? last : `${items.slice(0, -1).join(', ')} and ${last}`;
}

/** The room of an ASCII character. Other characters take several tokens, so they need more room. */
const narrow = 1;
const wide = 4;

/**
 * Quotes the beginning of a text on one line, cut after a word if possible, so that a quotation takes few
 * tokens.
 */
export function cutExcerpt(text: string, room = 48): string {
  // Cut the text first, because it may be a megabyte of spaces.
  const line = text.slice(0, 2_000).toWellFormed().replace(/\s+/g, ' ').trim();
  let used = 0;
  let end = 0;
  for (const character of line) {
    used += character.length === 1 && character < '\u0080' ? narrow : wide;
    if (used > room) {
      const space = line.lastIndexOf(' ', end);
      return `${line.slice(0, space > end / 2 ? space : end)}…`;
    }
    end += character.length;
  }
  return line;
}

function singular(word: string): string {
  if (word.length > 4 && word.endsWith('ies')) return `${word.slice(0, -3)}y`;
  return word.length > 3 && word.endsWith('s') && !/(ss|us|is)$/.test(word) ? word.slice(0, -1) : word;
}

const commonWords = new Set(
  `a about above anything something describe explain write after again all also am an and any are as ask at back be because been before being below but by call can
  could current currently did do doe does doing done each fetch few for from function get getting give given go going had
  has have having he hello her here hey hi him his how i if in into is it its just know let like ll make may me might more
  most much my no not now of off ok on one only or other our out over own parameter please provide re return returning s
  same set she should show so some specified such t tell than thank that the their them then there these they thing this
  those through to too tool under until up use used using user value ve very want was we were what when where which while
  who whom why will with would yes you your`.split(/\s+/),
);
