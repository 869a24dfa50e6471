import { findCalculation } from './arithmetic.ts';
import { quotesIn } from './quotes.ts';
import { splitWords, tellingWords } from './words.ts';

/** The parts of the user's message that can become arguments of a call. */
export type Facts = {
  /** The whole message, up to a limit. */
  readonly text: string;
  /** The words of the message, to find the name of an argument or one of its values. */
  readonly words: readonly string[];
  readonly wordSet: ReadonlySet<string>;
  readonly quotes: readonly string[];
  /** The content of a message to send: the text after `saying`, or after a colon. */
  readonly saying: readonly string[];
  readonly numbers: readonly number[];
  readonly dates: readonly string[];
  readonly dateTimes: readonly string[];
  readonly days: readonly string[];
  readonly emails: readonly string[];
  readonly urls: readonly string[];
  /** Names after a preposition (`in Paris`), with the preposition. */
  readonly places: readonly { readonly preposition: string; readonly name: string }[];
  /** Possible names: the places, then capitalised words; each with its telling words. */
  readonly names: readonly { readonly name: string; readonly words: readonly string[] }[];
  readonly calculation: string | null;
};

/** Arguments are searched only at the beginning of the message, which limits the work. */
const charactersMax = 4_000;

export function findFacts(message: string): Facts {
  const text = message.slice(0, charactersMax).toWellFormed().trim();
  const dateTimes = matches(text, /\b\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(?::\d{2})?(?:Z|[+-]\d{2}:\d{2})?/g);
  const dates = matches(text, /\b\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01])\b/g);
  const urls = matches(text, /\bhttps?:\/\/[^\s"'<>”]+/g).map((url) => url.replace(/[.,;:!?)]+$/, ''));
  const emails = matches(text, /(?<![\w.+-])[\w.+-]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63}){1,4}/g);
  // Digits of dates, URLs and addresses are not numbers.
  const plain = [...dateTimes, ...dates, ...urls, ...emails].reduce(
    (rest, part) => rest.replace(part, ' § '),
    text,
  );
  const quotes = quotesIn(text);
  const words = splitWords(text);
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

/** The most names that are tried for one argument. */
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

/** Names with capitals first, because they are certain; then the word after the preposition. */
function placesIn(text: string): Facts['places'] {
  const found = (pattern: RegExp) =>
    [...text.matchAll(pattern)].flatMap(([, preposition, name]) =>
      preposition === undefined || name === undefined || noName.test(name)
        ? []
        : [{ preposition: preposition.toLowerCase(), name }],
    );
  return [...found(capitalised), ...found(lowerCase)];
}
