import { entriesMax, spend, written } from './budget.ts';
import { isRecord, listAt, type Schema } from './json-schema.ts';
import type { Search } from './search.ts';

/** Returns the types that a schema allows, null last, because a value is more useful. */
export function listTypes(schema: Schema): readonly string[] {
  const named = typeof schema['type'] === 'string' ? [schema['type']] : listAt(schema, 'type');
  const types = named?.slice(0, entriesMax).filter((type) => typeof type === 'string') ?? [typeMeant(schema)];
  return [...new Set(types)].toSorted((a, b) => Number(a === 'null') - Number(b === 'null'));
}

/** The state that resolving a schema needs. */
type Knowledge = Pick<Search, 'root' | 'budget' | 'referred'>;

/**
 * Resolves `$ref`, `allOf`, `anyOf` and `oneOf`: yields one schema for each combination of their branches,
 * first branches first, with the supported keywords. Yields none for branches that contradict each other, or
 * once the budget is used up.
 */
export function* listVariants(schema: unknown, known: Knowledge, depth = 0): Generator<Schema> {
  if (!spend(known.budget, stepsOfSchema) || depth > depthMax) return;
  if (schema === true || schema === undefined) yield {};
  if (!isRecord(schema)) return;
  const { $ref: reference, allOf, anyOf, oneOf } = schema;
  const choices: Choice[] = [];
  if (typeof reference === 'string') choices.push((inner) => variantsReferred(reference, known, inner));
  // Every branch of allOf counts. A branch beyond the depth limit makes the schema unsatisfiable.
  if (Array.isArray(allOf))
    choices.push(...allOf.slice(0, depthMax + 2).map((branch) => makeChoice([branch], known)));
  for (const branches of [anyOf, oneOf])
    if (Array.isArray(branches)) choices.push(makeChoice(branches, known));
  yield* combined(understood(schema), choices, 0, known, depth);
}

const depthMax = 48;
const stepsOfSchema = 30;
const stepsOfMerge = 100;

/** The supported keywords. Others are dropped, so that merging them costs nothing. */
const keywords = [
  ...['type', 'const', 'enum', 'default', 'examples', 'title', 'description'],
  ...['properties', 'required', 'additionalProperties', 'minProperties', 'maxProperties'],
  ...['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'multipleOf'],
  ...['minLength', 'maxLength', 'pattern', 'format'],
  ...['items', 'prefixItems', 'minItems', 'maxItems', 'uniqueItems'],
];

function understood(schema: Schema): Schema {
  const own: Record<string, unknown> = {};
  for (const keyword of keywords) if (Object.hasOwn(schema, keyword)) own[keyword] = schema[keyword];
  return own;
}

/** The variants of any one of several branches, at a depth. */
type Choice = (depth: number) => Iterable<Schema>;

function makeChoice(branches: readonly unknown[], known: Knowledge): Choice {
  return function* variants(depth) {
    for (const branch of branches.slice(0, entriesMax)) yield* listVariants(branch, known, depth);
  };
}

function* combined(
  base: Schema,
  choices: readonly Choice[],
  at: number,
  known: Knowledge,
  depth: number,
): Generator<Schema> {
  const choice = choices[at];
  if (choice === undefined) {
    yield base;
    return;
  }
  const isBare = Object.keys(base).length === 0;
  for (const variant of choice(depth + 1)) {
    if (
      !isBare &&
      !spend(known.budget, stepsOfMerge + stepsOfEntry * (countEntries(base) + countEntries(variant)))
    )
      return;
    const merged = isBare ? variant : merge(base, variant, known);
    if (merged !== null) yield* combined(merged, choices, at + 1, known, depth + 1);
  }
}

const stepsOfEntry = 5;

/** The number of entries that a merge would read. */
function countEntries(schema: Schema): number {
  const lists = [schema['properties'], schema['required'], schema['enum']];
  return lists.reduce<number>((size, list) => {
    if (Array.isArray(list)) return size + list.length;
    return isRecord(list) ? size + Object.keys(list).length : size;
  }, 1);
}

/** The variants of a reference. They are computed once, and only as far as they are read. */
function variantsReferred(reference: string, known: Knowledge, depth: number): Iterable<Schema> {
  const before = known.referred.get(reference);
  if (before !== undefined) return before;
  const remaining = listVariants(resolve(reference, known), known, depth);
  const found: Schema[] = [];
  let isSearching = false;
  const variants = {
    *[Symbol.iterator](): Generator<Schema> {
      for (let at = 0; ; at++) {
        if (at === found.length) {
          // A read during the search is a circular reference, which yields nothing.
          if (isSearching) return;
          isSearching = true;
          const next = remaining.next();
          isSearching = false;
          if (next.done === true) return;
          found.push(next.value);
        }
        const variant = found[at];
        if (variant === undefined || !spend(known.budget, 1)) return;
        yield variant;
      }
    },
  };
  known.referred.set(reference, variants);
  return variants;
}

/**
 * Follows a JSON pointer within the document. Returns `false`, which nothing satisfies, for a pointer to
 * nothing.
 */
function resolve(reference: string, { root, budget }: Knowledge): unknown {
  if (!reference.startsWith('#') || !spend(budget, reference.length)) return false;
  let place: unknown = root;
  for (const part of reference.slice(1).split('/').slice(1)) {
    const key = decodeKey(part);
    if (Array.isArray(place)) place = place[Number(key)];
    else if (isRecord(place) && Object.hasOwn(place, key)) place = place[key];
    else return false;
  }
  return place ?? false;
}

function decodeKey(part: string): string {
  let key = part;
  try {
    key = decodeURIComponent(part);
  } catch {
    // A single percent sign is a normal character.
  }
  return key.replaceAll('~1', '/').replaceAll('~0', '~');
}

/** Merges two schemas; null when nothing can satisfy both. */
function merge(a: Schema, b: Schema, known: Knowledge): Schema | null {
  const merged: [string, unknown][] = Object.entries({ ...a, ...b });
  for (const entry of merged) {
    const [keyword] = entry;
    if (!Object.hasOwn(a, keyword) || !Object.hasOwn(b, keyword)) continue;
    const value = mergeKeyword(keyword, a[keyword], b[keyword], known);
    if (value === contradiction) return null;
    entry[1] = value;
  }
  return Object.fromEntries(merged);
}

const contradiction = Symbol('contradiction');
const lowerBounds = new Set(['minimum', 'exclusiveMinimum', 'minLength', 'minItems', 'minProperties']);
const upperBounds = new Set(['maximum', 'exclusiveMaximum', 'maxLength', 'maxItems', 'maxProperties']);

function mergeKeyword(keyword: string, a: unknown, b: unknown, { budget }: Knowledge): unknown {
  if (typeof a === 'number' && typeof b === 'number') {
    if (lowerBounds.has(keyword)) return Math.max(a, b);
    if (upperBounds.has(keyword)) return Math.min(a, b);
    if (keyword === 'multipleOf' && a % b !== 0) return b % a === 0 ? b : a * b;
    if (keyword === 'multipleOf') return a;
  }
  if (keyword === 'type') return mergeTypes(listTypes({ type: a }), listTypes({ type: b }));
  if (keyword === 'properties' && isRecord(a) && isRecord(b)) return mergeProperties(a, b);
  if (keyword === 'required' && Array.isArray(a) && Array.isArray(b)) return [...new Set([...a, ...b])];
  if (keyword === 'enum' && Array.isArray(a) && Array.isArray(b)) {
    const others = new Set(b.map((value) => written(value, budget)));
    const both = a.filter((value) => others.has(written(value, budget)));
    return both.length > 0 ? both : contradiction;
  }
  if (keyword === 'const' && written(a, budget) !== written(b, budget)) return contradiction;
  if (a === false || b === false) return false;
  return b;
}

function mergeTypes(a: readonly string[], b: readonly string[]): unknown {
  const both = a.flatMap((type) => {
    if (b.includes(type)) return [type];
    if (type === 'number' && b.includes('integer')) return ['integer'];
    return type === 'integer' && b.includes('number') ? ['integer'] : [];
  });
  return both.length > 0 ? both : contradiction;
}

function mergeProperties(a: Schema, b: Schema): Schema {
  return Object.fromEntries(
    Object.entries({ ...a, ...b }).map(([name, schema]) => {
      const isInBoth = Object.hasOwn(a, name) && Object.hasOwn(b, name);
      return [name, isInBoth ? { allOf: [a[name], b[name]] } : schema];
    }),
  );
}

/** Derives the type from the keywords of a schema without a type. */
function typeMeant(schema: Schema): string {
  const has = (...keywords: readonly string[]) => keywords.some((keyword) => Object.hasOwn(schema, keyword));
  if (has('properties', 'required', 'additionalProperties', 'minProperties')) return 'object';
  if (has('items', 'prefixItems', 'minItems', 'maxItems', 'uniqueItems')) return 'array';
  if (has('minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'multipleOf')) return 'number';
  return 'string';
}
