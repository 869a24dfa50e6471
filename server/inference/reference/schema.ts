import { entriesMax, isRecord, listAt, type Schema, type Search, spend, written } from './search.ts';

/** Returns the types that a schema allows, null last, because a value is more useful. */
export function listTypes(schema: Schema): readonly string[] {
  const { type } = schema;
  const named = typeof type === 'string' ? [type] : Array.isArray(type) ? type : [typeMeant(schema)];
  const types = named.slice(0, entriesMax).filter((name) => typeof name === 'string');
  return [...new Set(types)].toSorted((a, b) => Number(a === 'null') - Number(b === 'null'));
}

/** The state that resolving a schema needs. */
type Knowledge = Pick<Search, 'root' | 'budget'>;

const depthMax = 48;
const stepsOfSchema = 20;
const stepsOfMerge = 100;
const stepsOfEntry = 5;

/**
 * Resolves `$ref`, `allOf`, `anyOf`, `oneOf` and `if`: yields one schema for each combination of their branches,
 * first branches first. Yields none for branches that contradict each other, or once the budget is used up. A
 * value of a yielded schema probably satisfies the schema; `isValid` decides.
 */
export function* listVariants(schema: unknown, known: Knowledge, depth = 0): Generator<Schema> {
  if (!spend(known.budget, stepsOfSchema) || depth > depthMax) return;
  if (schema === true || schema === undefined) yield {};
  if (!isRecord(schema)) return;
  const { $ref: reference, if: condition } = schema;
  const choices: (readonly unknown[])[] = [];
  if (typeof reference === 'string') choices.push([resolve(reference, known)]);
  // Every branch of allOf counts. A branch beyond the depth limit makes the schema unsatisfiable.
  for (const branch of listAt(schema, 'allOf').slice(0, depthMax + 2)) choices.push([branch]);
  for (const branches of [schema['anyOf'], schema['oneOf']])
    if (Array.isArray(branches)) choices.push(branches.slice(0, entriesMax));
  if (condition !== undefined)
    choices.push([{ allOf: [condition, schema['then'] ?? true] }, schema['else'] ?? true]);
  if (choices.length === 0) yield schema;
  else if (spend(known.budget, stepsOfEntry * Object.keys(schema).length)) {
    const { $ref: _, allOf: __, anyOf: ___, oneOf: ____, if: _____, ...own } = schema;
    yield* combine(own, choices, known, depth);
  }
}

function* combine(
  base: Schema,
  [branches, ...others]: readonly (readonly unknown[])[],
  known: Knowledge,
  depth: number,
): Generator<Schema> {
  if (branches === undefined) {
    yield base;
    return;
  }
  const isBare = Object.keys(base).length === 0;
  for (const branch of branches) {
    for (const variant of listVariants(branch, known, depth + 1)) {
      const steps = isBare ? 0 : stepsOfMerge + stepsOfEntry * (countEntries(base) + countEntries(variant));
      if (!spend(known.budget, steps)) return;
      const merged = isBare ? variant : merge(base, variant, known);
      if (merged !== null) yield* combine(merged, others, known, depth + 1);
    }
  }
}

/** The number of entries that a merge would read. */
function countEntries(schema: Schema): number {
  const wide = [schema, schema['properties'], schema['required'], schema['enum']];
  return wide.reduce<number>((size, each) => {
    return size + (typeof each === 'object' && each !== null ? Object.keys(each).length : 0);
  }, 0);
}

/**
 * Follows a JSON pointer within the document. Returns `false`, which nothing satisfies, for a pointer to
 * nothing.
 */
export function resolve(reference: string, { root, budget }: Knowledge): unknown {
  if (!reference.startsWith('#') || !spend(budget, reference.length)) return false;
  let place: unknown = root;
  for (const part of reference.slice(1).split('/').slice(1)) {
    const key = decodeKey(part);
    if (typeof place !== 'object' || place === null || !Object.hasOwn(place, key)) return false;
    place = Reflect.get(place, key);
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
  const merged: [string, unknown][] = [];
  for (const [keyword, own] of Object.entries({ ...a, ...b })) {
    const isInBoth = Object.hasOwn(a, keyword) && Object.hasOwn(b, keyword);
    const value = isInBoth ? mergeKeyword(keyword, a[keyword], b[keyword], known) : own;
    if (value === contradiction) return null;
    merged.push([keyword, value]);
  }
  return Object.fromEntries(merged);
}

const contradiction = Symbol('contradiction');

function mergeKeyword(keyword: string, a: unknown, b: unknown, { budget }: Knowledge): unknown {
  if (typeof a === 'number' && typeof b === 'number') {
    if (/^(?:exclusiveM|m)in/.test(keyword)) return Math.max(a, b);
    if (/^(?:exclusiveM|m)ax/.test(keyword)) return Math.min(a, b);
    if (keyword === 'multipleOf') return a % b === 0 ? a : b % a === 0 ? b : a * b;
  }
  if (Array.isArray(a) && Array.isArray(b)) {
    if (keyword === 'required') return [...new Set([...a, ...b])];
    if (keyword === 'enum') {
      const others = new Set(b.map((value) => written(value, budget)));
      const both = a.filter((value) => others.has(written(value, budget)));
      return both.length > 0 ? both : contradiction;
    }
  }
  if (keyword === 'type') {
    const [some, others] = [listTypes({ type: a }), listTypes({ type: b })];
    const both = [...new Set([...some, ...others])].filter(
      (type) => allows(some, type) && allows(others, type),
    );
    return both.length > 0 ? both : contradiction;
  }
  if (keyword === 'const') return written(a, budget) === written(b, budget) ? a : contradiction;
  if (a === false || b === false) return false;
  if (!isRecord(a) || !isRecord(b)) return b;
  if (keyword !== 'properties') return { allOf: [a, b] };
  const shared = Object.keys(a).filter((name) => Object.hasOwn(b, name));
  const both = shared.map((name): [string, unknown] => [name, { allOf: [a[name], b[name]] }]);
  return Object.fromEntries([...Object.entries(a), ...Object.entries(b), ...both]);
}

function allows(types: readonly string[], type: string): boolean {
  return types.includes(type) || (type === 'integer' && types.includes('number'));
}

/** Derives the type from the keywords of a schema without a type. */
function typeMeant(schema: Schema): string {
  const has = (...keywords: readonly string[]) => keywords.some((keyword) => Object.hasOwn(schema, keyword));
  if (has('properties', 'required', 'additionalProperties', 'minProperties')) return 'object';
  if (has('items', 'prefixItems', 'minItems', 'maxItems', 'uniqueItems')) return 'array';
  if (has('minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'multipleOf')) return 'number';
  return 'string';
}
