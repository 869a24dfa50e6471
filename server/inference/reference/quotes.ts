const pairs: Readonly<Record<string, string>> = { '"': '"', '“': '”', '`': '`', '«': '»' };

/** More quotations than anybody asks about in one message. */
const quotesMax = 50;

type Span = { readonly start: number; readonly end: number };

/** What is said in quotation marks in a text, in order, without the marks. Linear in the length, whatever the text. */
export function quotesIn(text: string): readonly string[] {
  const marked = markedSpans(text);
  const quotes = marked.map(({ start, end }) => text.slice(start, end));
  const known = new Set(quotes);
  let next = 0;
  // Single quotes are apostrophes too: they count only around a word and at its edges.
  for (const { index, 1: inner = '' } of text.matchAll(
    /(?<![\p{L}\p{N}])'([^'\n]{1,200})'(?![\p{L}\p{N}])/gu,
  )) {
    if (quotes.length >= quotesMax) break;
    const start = index + 1;
    // Both lists are in the order of the text. To search for one text in the other would be quadratic (D-196).
    while ((marked[next]?.end ?? text.length) < start) next++;
    const around = marked[next];
    const isInside = around !== undefined && around.start <= start && start + inner.length <= around.end;
    if (isInside || known.has(inner)) continue;
    known.add(inner);
    quotes.push(inner);
  }
  return quotes;
}

/** Where the quotations in marks of a pair are, without the marks and without empty ones. */
function markedSpans(text: string): readonly Span[] {
  const spans: Span[] = [];
  // Marks of one kind that are never closed are looked for once, not once each.
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
