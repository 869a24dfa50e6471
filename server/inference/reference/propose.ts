import { formats } from './formats.ts';
import { findPattern, readBounds } from './judge.ts';
import {
  guessTexts,
  mentionedBoolean,
  mentionedNumber,
  mentionedTexts,
  mentionsValue,
  type Wanted,
} from './mention.ts';
import {
  entriesMax,
  type Listed,
  listAt,
  numberAt,
  type Schema,
  type Search,
  spend,
  written,
} from './search.ts';

/** The most values of an enumeration that are read. */
const valuesMax = 1_000;
/** The most characters of a made string. */
const charactersMax = 4_096;
/** The most multiples that are tried before a schema counts as unsatisfiable. */
const multiplesMax = 1_000;
const stepsOfNumber = 4;

/** The place of a value. `index` distinguishes the items of one list. */
export type Place = Wanted & { readonly depth: number; readonly index: number };

/** Proposes listed values. The items of a list take them in turn. */
export function* proposeListed(schema: Schema, { index }: Place, search: Search): Generator<unknown> {
  const { values } = readListed(schema, search);
  for (const at of values.keys()) {
    const value = values[(index + at) % values.length];
    // The value adds its whole length to the arguments.
    if (!spend(search.budget, written(value, search.budget).length)) return;
    yield value;
  }
}

/**
 * Returns the values of `const` or `enum`, those in the user's message first, null last, and how many are in the
 * message.
 */
export function readListed(schema: Schema, search: Search): Listed {
  const isConstant = Object.hasOwn(schema, 'const');
  const key = isConstant ? schema : schema['enum'];
  const known = search.listed.get(key);
  if (known !== undefined) return known;
  const values = isConstant ? [schema['const']] : listAt(schema, 'enum').slice(0, valuesMax);
  const mentioned = values.filter((value) => mentionsValue(value, search));
  const nulls = values.filter((value) => value === null);
  const first = new Set([...mentioned, ...nulls]);
  const others = values.filter((value) => !first.has(value));
  const listed = { values: [...mentioned, ...others, ...nulls], mentioned: mentioned.length };
  search.listed.set(key, listed);
  return listed;
}

/** Proposes texts: from the message, from the schema, guesses, and texts that are made to fit. */
export function* proposeTexts(schema: Schema, place: Place, search: Search): Generator<string> {
  const { budget, facts } = search;
  const [lengthMin, lengthMax] = [
    numberAt(schema, 'minLength') ?? 0,
    numberAt(schema, 'maxLength') ?? Infinity,
  ];
  if (lengthMin > Math.min(lengthMax, charactersMax)) return;
  const format = String(schema['format']);
  const plain = place.name === '' ? 'text' : place.name;
  const texts = [
    ...mentionedTexts(place, format, search),
    ...suggested(schema, search).filter((value) => typeof value === 'string'),
    ...guessTexts(place, facts),
    plain,
  ];
  // Each item of a list takes the next text, and the plain name with a number when there are no more texts.
  const turned = place.index === 0 ? texts : [...texts.slice(place.index), `${plain} ${place.index + 1}`];
  for (const text of [...turned, resize(turned[0] ?? '', lengthMin, lengthMax)])
    if (spend(budget, text.length)) yield text;
  const sample = formats.get(format)?.sample(place.index);
  if (sample !== undefined) yield sample;
  const { pattern } = schema;
  if (typeof pattern === 'string') yield* findPattern(pattern, search)?.make(lengthMin, place.index) ?? [];
}

/** Cuts or fills up a text. JSON Schema counts lengths in characters, not in code units. */
function resize(text: string, lengthMin: number, lengthMax: number): string {
  // The characters to keep are within twice as many code units.
  const characters = [...text.slice(0, 2 * charactersMax)].slice(0, Math.min(lengthMax, charactersMax));
  return characters.join('') + '.'.repeat(Math.max(Math.ceil(lengthMin) - characters.length, 0));
}

/** Proposes numbers: from the message, from the schema, and plain ones within the bounds. */
export function* proposeNumbers(schema: Schema, place: Place, search: Search): Generator<unknown> {
  const { unused, budget } = search;
  const { index } = place;
  const { least, most } = readBounds(schema);
  if (index === 0) {
    yield mentionedNumber(place, search);
    yield* suggested(schema, search).filter((value) => typeof value === 'number');
  }
  if (!spend(budget, stepsOfNumber * unused.length)) return;
  yield* [...unused].filter((value) => value >= least && value <= most);
  const from = Number.isFinite(least) ? least : Number.isFinite(most) ? Math.min(most - index, 0) : 0;
  const to = Number.isFinite(most) ? most : from + 2;
  const step = numberAt(schema, 'multipleOf');
  if (step !== undefined && step > 0) {
    const lowest = Math.ceil(from / step) + index;
    for (let count = 0; count < multiplesMax; count++) yield plainly((lowest + count) * step);
    yield plainly((lowest - index) * step);
    return;
  }
  const larger = [from + 10, from + 100];
  const middle = [(from + to) / 2, from + (to - from) / 64];
  for (const value of [
    1,
    0,
    Math.ceil(from),
    from,
    Math.floor(from) + 1,
    Math.floor(to),
    to,
    ...middle,
    ...larger,
  ])
    yield* index > 0 ? [value + index, value - index, value].map(plainly) : [plainly(value)];
}

/** Replaces minus zero, which JSON writes as 0 and a template string would too. */
function plainly(value: number): number {
  return value === 0 ? 0 : value;
}

export function* proposeBooleans(schema: Schema, place: Place, search: Search): Generator<unknown> {
  yield mentionedBoolean(place, search);
  yield* suggested(schema, search).filter((value) => typeof value === 'boolean');
  yield* [false, true];
}

/** The values of `default` and `examples`, at most `entriesMax` of the latter. */
function suggested(schema: Schema, { budget }: Search): readonly unknown[] {
  const examples = listAt(schema, 'examples').slice(0, entriesMax);
  return spend(budget, examples.length) ? [schema['default'], ...examples] : [];
}
