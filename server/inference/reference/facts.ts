import { findCalculation } from './arithmetic.ts';
import { quotesIn } from './quotes.ts';
import { tellingWords, wordsOf } from './words.ts';

/** What the user's words hold that can go into the arguments of a call. */
export type Facts = {
  /** The whole message, bounded. */
  readonly text: string;
  /** Its words, for finding the name of an argument or one of the values it may have. */
  readonly words: readonly string[];
  readonly wordSet: ReadonlySet<string>;
  readonly quotes: readonly string[];
  /** What a message is to say: behind `saying`, or behind a colon. */
  readonly saying: readonly string[];
  readonly numbers: readonly number[];
  readonly dates: readonly string[];
  readonly dateTimes: readonly string[];
  readonly days: readonly string[];
  readonly emails: readonly string[];
  readonly urls: readonly string[];
  /** Names behind a preposition (`in Paris`), with the preposition. */
  readonly places: readonly { readonly preposition: string; readonly name: string }[];
  /** What may be a name: the places, then whatever is written in capitals; with the words that tell something. */
  readonly names: readonly { readonly name: string; readonly words: readonly string[] }[];
  readonly calculation: string | null;
};

/** Arguments are short: they are looked for at the beginning of the message only, which bounds the search. */
const charactersMax = 4_000;

export function factsOf(message: string): Facts {
  const text = message.slice(0, charactersMax).toWellFormed().trim();
  const dateTimes = matches(text, /\b\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(?::\d{2})?(?:Z|[+-]\d{2}:\d{2})?/g);
  const dates = matches(text, /\b\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01])\b/g);
  const urls = matches(text, /\bhttps?:\/\/[^\s"'<>”]+/g).map((url) => url.replace(/[.,;:!?)]+$/, ''));
  const emails = matches(text, /(?<![\w.+-])[\w.+-]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63}){1,4}/g);
  // Digits that belong to something else are no numbers.
  const plain = [...dateTimes, ...dates, ...urls, ...emails].reduce(
    (rest, part) => rest.replace(part, ' § '),
    text,
  );
  const quotes = quotesIn(text);
  const words = wordsOf(text);
  const places = placesIn(plain);
  return {
    text,
    words,
    wordSet: new Set(words),
    quotes,
    saying: [...sayingsIn(text), ...quotes],
    numbers: matches(plain, /(?<![\p{L}\d.:/-])-?\d{1,15}(?:\.\d{1,10})?(?![\d:/]|[\p{L}]{2})/gu).map(Number),
    dates,
    dateTimes,
    days: matches(
      text,
      /\b(?:today|tomorrow|tonight|yesterday|(?:mon|tues|wednes|thurs|fri|satur|sun)day)\b/gi,
    ),
    emails,
    urls,
    places,
    names: namesIn(plain, places),
    calculation: findCalculation(plain)?.expression ?? null,
  };
}

/** Names that are tried for one argument. */
const namesMax = 20;

function namesIn(text: string, places: Facts['places']): Facts['names'] {
  const capitals = matches(text, /\b\p{Lu}[\p{L}\p{N}'’-]*(?:\s\p{Lu}[\p{L}\p{N}'’-]*)*/gu);
  const names = [...new Set([...places.map(({ name }) => name), ...capitals])].slice(0, 2 * namesMax);
  const told = names.map((name) => ({ name, words: tellingWords(name) }));
  return told.filter(({ words }) => words.length > 0).slice(0, namesMax);
}

function sayingsIn(text: string): readonly string[] {
  const said = /(?:\b(?:saying|that says|to say)\s|:\s)(\S.*)$/is.exec(text)?.[1]?.trim();
  return said === undefined ? [] : [said];
}

function matches(text: string, pattern: RegExp): readonly string[] {
  return text.match(pattern) ?? [];
}

const prepositions = 'in|at|near|around|for|from|to|of|with|on|about|by|named|called';
const capitalised = new RegExp(
  `\\b(${prepositions})\\s(?:the\\s)?(\\p{Lu}[\\p{L}\\p{N}'’-]*(?:(?:,\\s|\\s)\\p{Lu}[\\p{L}\\p{N}'’-]*)*)`,
  'gu',
);
const lowerCase =
  /\b(in|at|near|from|to|for|named|called)\s((?:(?:new|san|los|las|saint|st|fort|port|north|south|east|west)\s)?\p{L}{2,}(?:-\p{L}+)?)/giu;
const noName =
  /^(?:a|an|the|my|your|our|his|her|their|this|that|these|those|it|me|you|us|them|him|all|any|some|one|be|do|get|see|know|find|make|have|today|tomorrow|tonight|celsius|fahrenheit|order|general|case|fact|what|which|now|next|last)$/i;

/** Names in capitals first, since they are names for sure; else the word behind the preposition as it is. */
function placesIn(text: string): Facts['places'] {
  const found = (pattern: RegExp) =>
    [...text.matchAll(pattern)].flatMap(([, preposition, name]) =>
      preposition === undefined || name === undefined || noName.test(name)
        ? []
        : [{ preposition: preposition.toLowerCase(), name }],
    );
  return [...found(capitalised), ...found(lowerCase)];
}
