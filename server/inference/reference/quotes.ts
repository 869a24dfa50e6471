const pairs: Readonly<Record<string, string>> = { '"': '"', '“': '”', '`': '`', '«': '»' };

/** The most quotations of one message. */
const quotesMax = 50;

type Span = { readonly start: number; readonly end: number };

/** Returns the quotations of a text in order, without marks and duplicates. Takes linear time for any text. */
export function quotesIn(text: string): readonly string[] {
  const marked = markedSpans(text);
  const quotes = marked.map(({ start, end }) => text.slice(start, end));
  const known = new Set(quotes);
  let next = 0;
  // Single quotes are apostrophes too. They count only around words, not within one.
  for (const { index, 1: inner = '' } of text.matchAll(
    /(?<![\p{L}\p{N}])'([^'\n]{1,200})'(?![\p{L}\p{N}])/gu,
  )) {
    if (quotes.length >= quotesMax) break;
    const start = index + 1;
    // Both lists are in the order of the text. A search for one text in the other would take quadratic time
    // (D-196).
    while ((marked[next]?.end ?? text.length) < start) next++;
    const around = marked[next];
    const isInside = around !== undefined && around.start <= start && start + inner.length <= around.end;
    if (isInside || known.has(inner)) continue;
    known.add(inner);
    quotes.push(inner);
  }
  return quotes;
}

/** The positions of quotations in paired marks, without the marks and without empty ones. */
function markedSpans(text: string): readonly Span[] {
  const spans: Span[] = [];
  // A kind of mark that is never closed is searched once, not once for each mark.
  const unclosed = new Set<string>();
  for (let at = 0; at < text.length && spans.length < quotesMax; at++) {
    const mark = text.charAt(at);
    const close = pairs[mark];
    if (close === undefined || unclosed.has(mark)) continue;
    const end = text.indexOf(close, at + 1);
    if (end === -1) {
      unclosed.add(mark);
      continue;
    }
    if (end > at + 1) spans.push({ start: at + 1, end });
    at = end;
  }
  return spans;
}
