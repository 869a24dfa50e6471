import { quotesIn } from './quotes.ts';
import { listed } from './words.ts';

/** The most numbers that are counted. */
const countedMax = 5_000;
/** The most characters that are searched for the question. The text to count in may be longer. */
const questionCharactersMax = 300;

/** Answers `count to 10`, `how many words are in "…"` and `how many r are in strawberry`; null for all else. */
export function completeCounting(text: string): string | null {
  return countUp(text) ?? countIn(text);
}

/** Continues `1, 2, 3,`. Null unless the text ends with three numbers at an even distance. */
export function continueSeries(text: string): string | null {
  const tail = /(-?\d{1,9}), ?(-?\d{1,9}), ?(-?\d{1,9})(,?)( ?)$/.exec(text.slice(-60));
  if (tail === null) return null;
  const [first, second, third] = [Number(tail[1]), Number(tail[2]), Number(tail[3])];
  const step = second - first;
  if (step === 0 || third - second !== step) return null;
  const next = Array.from({ length: 20 }, (_, index) => third + step * (index + 1)).join(', ');
  const comma = tail[4] === ',' ? '' : ',';
  return `${comma}${comma === '' && tail[5] === ' ' ? '' : ' '}${next}`;
}

function countUp(text: string): string | null {
  const asked =
    /\bcount (?:up |down )?(?:from (-?\d{1,6}) )?(?:down )?(?:up )?(?:to|until|through) (-?\d{1,6})\b/i.exec(
      text.slice(0, questionCharactersMax),
    );
  if (asked === null) return null;
  const to = Number(asked[2]);
  const from = asked[1] === undefined ? Math.min(1, to) : Number(asked[1]);
  const step = from <= to ? 1 : -1;
  const length = Math.min(Math.abs(to - from) + 1, countedMax);
  return Array.from({ length }, (_, index) => from + step * index).join(', ');
}

const thingsCounted: Readonly<Record<string, (text: string) => number>> = {
  word: (text) => text.match(/[\p{L}\p{N}][\p{L}\p{N}'’-]*/gu)?.length ?? 0,
  character: (text) => [...text].length,
  letter: (text) => text.match(/\p{L}/gu)?.length ?? 0,
  vowel: (text) => text.match(/[aeiou]/gi)?.length ?? 0,
  digit: (text) => text.match(/\d/g)?.length ?? 0,
  sentence: (text) => text.match(/[^.!?]+(?:[.!?]+|$)/g)?.filter((part) => /\w/.test(part)).length ?? 0,
};

function countIn(text: string): string | null {
  const question = text.slice(0, questionCharactersMax);
  const kind = /\b(?:how many|count the|number of) (word|character|letter|vowel|digit|sentence)s\b/i.exec(
    question,
  )?.[1];
  if (kind !== undefined) {
    const subject = findSubject(text);
    const counted = subject === null ? undefined : thingsCounted[kind.toLowerCase()]?.(subject);
    if (counted === undefined) return null;
    return `There ${counted === 1 ? `is 1 ${kind}` : `are ${counted} ${kind}s`} in that text.`;
  }
  const one =
    /\bhow many (?:times does )?(?:the letter )?["'“]?(\p{L})["'”]?(?:['’]?s)? (?:are |is )?(?:there )?(?:appear |occur )?in (?:the word )?["'“]?(\p{L}+)/iu.exec(
      question,
    );
  if (one?.[1] === undefined || one[2] === undefined) return null;
  const [, letter, word] = one;
  const places = [...word].flatMap((other, index) =>
    other.toLowerCase() === letter.toLowerCase() ? [String(index + 1)] : [],
  );
  const times = places.length === 1 ? 'once' : `${places.length} times`;
  const where = places.length === 0 ? '' : `, at position ${listed(places)}`;
  return `The letter “${letter}” occurs ${times} in “${word}”${where}.`;
}

/** The text to count in: the quotation, else the text after a colon, else the text after `in`. */
function findSubject(text: string): string | null {
  const [quoted] = quotesIn(text);
  if (quoted !== undefined) return quoted;
  const colon = text.indexOf(':');
  if (colon !== -1 && text.slice(colon + 1).trim() !== '') return text.slice(colon + 1).trim();
  const inside = /\bin (?:the (?:word|text|sentence|phrase) )?(\S.*)/is.exec(text.slice(0, 2_000))?.[1];
  return inside?.replace(/[?\s]+$/, '') ?? null;
}
