const pairs: Readonly<Record<string, string>> = { '"': '"', '“': '”', '`': '`', '«': '»' };

/** More quotations than anybody asks about in one message. */
const quotesMax = 50;

/** What is said in quotation marks in a text, in order, without the marks. Linear in the length, whatever the text. */
export function quotesIn(text: string): readonly string[] {
  const quotes: string[] = [];
  // Marks of one kind that are never closed are looked for once, not once each.
  const unclosed = new Set<string>();
  for (let at = 0; at < text.length && quotes.length < quotesMax; at++) {
    const mark = text.charAt(at);
    const close = pairs[mark];
    if (close === undefined || unclosed.has(mark)) continue;
    const end = text.indexOf(close, at + 1);
    if (end === -1) {
      unclosed.add(mark);
      continue;
    }
    if (end > at + 1) quotes.push(text.slice(at + 1, end));
    at = end;
  }
  // Single quotes are apostrophes too: they count only around a word and at its edges.
  for (const [, inner] of text.matchAll(/(?<![\p{L}\p{N}])'([^'\n]{1,200})'(?![\p{L}\p{N}])/gu)) {
    if (quotes.length >= quotesMax) break;
    if (inner !== undefined && !quotes.some((quote) => quote.includes(inner))) quotes.push(inner);
  }
  return quotes;
}
