import { spend } from './budget.ts';
import { numberAt, type Schema } from './json-schema.ts';
import { type Pattern, readPattern } from './pattern.ts';

import type { Search } from './search.ts';

/** The most characters of a made string. */
const charactersMax = 4_096;

/** Whether a string satisfies the keywords for strings. An unsupported pattern counts as not satisfied. */
export function stringFits(text: string, schema: Schema, search: Known): boolean {
  if (!spend(search.budget, 1 + text.length / 8)) return false;
  if (!lengthFits(text, readLengths(schema))) return false;
  const format = formats[readFormat(schema)];
  if (format !== undefined && !format.shape.test(text)) return false;
  const source = schema['pattern'];
  return typeof source !== 'string' || findPattern(source, search)?.matches(text) === true;
}

type Known = Pick<Search, 'budget' | 'patterns'>;

/**
 * Counts characters only when it matters: a text has at most as many as code units, and at least half as many.
 */
function lengthFits(text: string, { lengthMin, lengthMax }: ReturnType<typeof readLengths>): boolean {
  if (text.length < lengthMin || text.length > 2 * lengthMax) return false;
  if (text.length >= 2 * lengthMin && text.length <= lengthMax) return true;
  const { length } = [...text];
  return length >= lengthMin && length <= lengthMax;
}

function findPattern(source: string, { budget, patterns }: Known): Pattern | null {
  const known = patterns.get(source);
  if (known !== undefined) return known;
  const pattern = readPattern(source, budget);
  patterns.set(source, pattern);
  return pattern;
}

/**
 * Returns the first text that fits unchanged, else the first text resized to fit, else one made from the format
 * or the pattern. With an unsupported pattern the result is a guess. Undefined when no length is possible.
 */
export function makeString(
  texts: readonly string[],
  schema: Schema,
  index: number,
  search: Known,
): string | undefined {
  const { lengthMin, lengthMax } = readLengths(schema);
  if (lengthMin > lengthMax || lengthMin > charactersMax) return undefined;
  const fitting = texts.find((text) => stringFits(text, schema, search));
  if (fitting !== undefined) return fitting;
  if (!spend(search.budget, Math.max(lengthMin, 0))) return undefined;
  const [resized = ''] = texts.slice(0, 1).map((text) => resize(text, lengthMin, lengthMax));
  if (stringFits(resized, schema, search)) return resized;
  const format = formats[readFormat(schema)]?.sample(index);
  if (format !== undefined && stringFits(format, schema, search)) return format;
  const source = schema['pattern'];
  const pattern = typeof source === 'string' ? findPattern(source, search) : null;
  return pattern?.make(lengthMin, lengthMax, index) ?? resized;
}

function readLengths(schema: Schema): { readonly lengthMin: number; readonly lengthMax: number } {
  return {
    lengthMin: numberAt(schema, 'minLength') ?? 0,
    lengthMax: numberAt(schema, 'maxLength') ?? Infinity,
  };
}

/** Cuts or fills up a text. JSON Schema counts lengths in characters, not in code units. */
function resize(text: string, lengthMin: number, lengthMax: number): string {
  // The characters to keep are within twice as many code units.
  const characters = [...text.slice(0, 2 * charactersMax)].slice(0, Math.min(lengthMax, charactersMax));
  return characters.join('') + '.'.repeat(Math.max(Math.ceil(lengthMin) - characters.length, 0));
}

function readFormat(schema: Schema): string {
  return typeof schema['format'] === 'string' ? schema['format'] : '';
}

type Format = { readonly shape: RegExp; sample(index: number): string };

const date = '\\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\\d|3[01])';
const time = '(?:[01]\\d|2[0-3]):[0-5]\\d:[0-5]\\d(?:\\.\\d{1,9})?(?:Z|[+-]\\d{2}:\\d{2})';
const uri: Format = {
  shape: /^[a-z][a-z0-9+.-]{0,30}:\/\/[^\s"<>\\^`{|}]+$/i,
  sample: (index) => `https://example.com/${index === 0 ? '' : index}`,
};

/** The formats of JSON Schema that tools use. Other formats are ignored, as the standard allows. */
const formats: Readonly<Record<string, Format>> = {
  date: { shape: new RegExp(`^${date}$`), sample: (index) => `2025-01-${padded((index % 28) + 1)}` },
  time: { shape: new RegExp(`^${time}$`), sample: (index) => `12:${padded(index % 60)}:00Z` },
  'date-time': {
    shape: new RegExp(`^${date}T${time}$`),
    sample: (index) => `2025-01-01T12:${padded(index % 60)}:00Z`,
  },
  email: {
    shape: /^[\w.+-]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63}){1,4}$/,
    sample: (index) => `user${index === 0 ? '' : index}@example.com`,
  },
  uri,
  url: uri,
  uuid: {
    shape: /^[\da-f]{8}-(?:[\da-f]{4}-){3}[\da-f]{12}$/i,
    sample: (index) => `00000000-0000-4000-8000-${String(index).padStart(12, '0')}`,
  },
  ipv4: {
    shape: /^(?:(?:25[0-5]|2[0-4]\d|1?\d?\d)(?:\.(?!$)|$)){4}$/,
    sample: (index) => `192.0.2.${(index % 254) + 1}`,
  },
  ipv6: {
    shape: /^(?=.{2,39}$)[\da-f:]*::?[\da-f:]*$/i,
    sample: (index) => `2001:db8::${(index + 1).toString(16)}`,
  },
  hostname: {
    shape: /^[a-z\d-]{1,63}(?:\.[a-z\d-]{1,63}){0,8}$/i,
    sample: (index) => `host${index}.example`,
  },
};

function padded(number: number): string {
  return String(number).padStart(2, '0');
}
