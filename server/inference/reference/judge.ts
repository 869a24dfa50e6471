import { formats } from './formats.ts';
import { readPattern } from './pattern.ts';
import { resolve } from './schema.ts';
import {
  type Budget,
  entriesMax,
  isListed,
  isRecord,
  listAt,
  numberAt,
  type Pattern,
  type Schema,
  type Search,
  spend,
  written,
} from './search.ts';

/** The deepest nesting of schemas. A schema that refers to itself without end allows nothing. */
const depthMax = 256;
const stepsOfSchema = 6;

/**
 * Whether a value satisfies a schema. False once the budget is used up.
 *
 * Ignored: unevaluated… keywords, references to other documents' anchors, unknown formats, and patterns that
 * `readPattern` does not support.
 */
export function isValid(value: unknown, schema: unknown, search: Search, depth = 0): boolean {
  if (!spend(search.budget, stepsOfSchema) || depth > depthMax) return false;
  if (!isRecord(schema)) return schema !== false;
  const fits = (part: unknown, inner: unknown) => isValid(part, inner, search, depth + 1);
  return (
    typeFits(value, schema) &&
    (!isListed(schema) || isAllowed(value, schema, search)) &&
    (typeof value !== 'number' || numberFits(value, schema)) &&
    (typeof value !== 'string' || stringFits(value, schema, search)) &&
    (!Array.isArray(value) || listFits(value, schema, search, fits)) &&
    (!isRecord(value) || objectFits(value, schema, search, fits)) &&
    branchesFit(value, schema, search, fits)
  );
}

type Fits = (part: unknown, schema: unknown) => boolean;

const types = new Map<unknown, (value: unknown) => boolean>([
  ['null', (value) => value === null],
  ['boolean', (value) => typeof value === 'boolean'],
  ['string', (value) => typeof value === 'string'],
  ['number', Number.isFinite],
  ['integer', Number.isInteger],
  ['array', Array.isArray],
  ['object', isRecord],
]);

function typeFits(value: unknown, { type }: Schema): boolean {
  if (typeof type !== 'string' && !Array.isArray(type)) return true;
  const allowed = typeof type === 'string' ? [type] : type.slice(0, entriesMax);
  return allowed.some((name) => types.get(name)?.(value));
}

function isAllowed(value: unknown, schema: Schema, { budget }: Search): boolean {
  const listed = Object.hasOwn(schema, 'const') ? [schema['const']] : listAt(schema, 'enum');
  if (!spend(budget, listed.length / 16)) return false;
  if (listed.includes(value)) return true;
  if (typeof value !== 'object') return false;
  const text = written(value, budget);
  return listed.some((each) => typeof each === 'object' && written(each, budget) === text);
}

function numberFits(value: number, schema: Schema): boolean {
  const { least, most } = readBounds(schema);
  const { exclusiveMinimum, exclusiveMaximum } = schema;
  const step = numberAt(schema, 'multipleOf');
  if (value < least || value > most) return false;
  // In OpenAPI 3.0, an exclusive bound is `true` beside the other bound.
  if (value === least && (exclusiveMinimum === true || exclusiveMinimum === least)) return false;
  if (value === most && (exclusiveMaximum === true || exclusiveMaximum === most)) return false;
  return step === undefined || Number.isInteger(value / step);
}

/** Reads the bounds of numbers. `numberFits` knows which are exclusive. */
export function readBounds(schema: Schema): { readonly least: number; readonly most: number } {
  const boundsAt = (...keywords: readonly string[]) =>
    keywords.flatMap((keyword) => numberAt(schema, keyword) ?? []);
  return {
    least: Math.max(...boundsAt('minimum', 'exclusiveMinimum')),
    most: Math.min(...boundsAt('maximum', 'exclusiveMaximum')),
  };
}

function stringFits(text: string, schema: Schema, search: Search): boolean {
  if (!spend(search.budget, text.length / 8) || !sizeFits([...text].length, schema, 'Length')) return false;
  const { format, pattern } = schema;
  if (typeof format === 'string' && formats.get(format)?.shape.test(text) === false) return false;
  return typeof pattern !== 'string' || patternFits(text, pattern, search);
}

/** An unsupported pattern allows every text. */
function patternFits(text: string, pattern: string, search: Search): boolean {
  return search.budget.steps > 0 && findPattern(pattern, search)?.matches(text) !== false;
}

/** Reads each pattern of a call once. */
export function findPattern(source: string, { budget, patterns }: Search): Pattern | null {
  const known = patterns.get(source);
  if (known !== undefined) return known;
  const pattern = readPattern(source, budget);
  patterns.set(source, pattern);
  return pattern;
}

function sizeFits(size: number, schema: Schema, of: 'Length' | 'Items' | 'Properties'): boolean {
  return size >= (numberAt(schema, `min${of}`) ?? 0) && size <= (numberAt(schema, `max${of}`) ?? Infinity);
}

function listFits(list: readonly unknown[], schema: Schema, { budget }: Search, fits: Fits): boolean {
  const first = listAt(schema, 'prefixItems');
  const { items, contains, uniqueItems } = schema;
  if (!sizeFits(list.length, schema, 'Items')) return false;
  if (uniqueItems === true && new Set(list.map((item) => written(item, budget))).size < list.length)
    return false;
  if (!list.every((item, index) => fits(item, index < first.length ? first[index] : items))) return false;
  if (contains === undefined) return true;
  const most = numberAt(schema, 'maxContains') ?? Infinity;
  const count = countFitting(list, (item) => fits(item, contains), most + 1, budget);
  return count >= (numberAt(schema, 'minContains') ?? 1) && count <= most;
}

/** Counts up to `enough` entries that fit. Reads none once the budget is used up, because lists nest. */
function countFitting(
  entries: readonly unknown[],
  isFitting: (entry: unknown) => boolean,
  enough: number,
  budget: Budget,
): number {
  let count = 0;
  for (const entry of entries) {
    if (budget.steps <= 0 || count >= enough) break;
    if (isFitting(entry)) count++;
  }
  return count;
}

function objectFits(object: Schema, schema: Schema, search: Search, fits: Fits): boolean {
  const names = Object.keys(object);
  const required = listAt(schema, 'required');
  if (!spend(search.budget, 4 * names.length + required.length)) return false;
  const has = (name: unknown) => typeof name !== 'string' || Object.hasOwn(object, name);
  return (
    sizeFits(names.length, schema, 'Properties') &&
    required.every(has) &&
    names.every(
      (name) =>
        fits(name, schema['propertyNames']) &&
        listSchemas(name, schema, search).every((inner) => fits(object[name], inner)) &&
        listDependent(name, schema, search).every(has) &&
        fits(object, innerAt(schema, 'dependentSchemas', name)),
    )
  );
}

/** The schemas of a property. */
export function listSchemas(name: string, schema: Schema, search: Search): readonly unknown[] {
  const own = innerAt(schema, 'properties', name);
  const { patternProperties: patterns, additionalProperties: additional } = schema;
  if (!isRecord(patterns)) return [own ?? additional];
  const sources = Object.keys(patterns);
  if (!spend(search.budget, sources.length)) return [false];
  const matching = sources.filter((source) => patternFits(name, source, search));
  const all = [...(own === undefined ? [] : [own]), ...matching.map((source) => patterns[source])];
  return all.length > 0 ? all : [additional];
}

/** The properties that a property requires. */
export function listDependent(name: string, schema: Schema, { budget }: Search): readonly string[] {
  const names = innerAt(schema, 'dependentRequired', name);
  if (!Array.isArray(names) || !spend(budget, names.length)) return [];
  return names.filter((each) => typeof each === 'string');
}

/** The schema of a name in a keyword that has a schema for each name. */
function innerAt(schema: Schema, keyword: string, name: string): unknown {
  const inner = schema[keyword];
  return isRecord(inner) && Object.hasOwn(inner, name) ? inner[name] : undefined;
}

function branchesFit(value: unknown, schema: Schema, search: Search, fits: Fits): boolean {
  const { budget } = search;
  const { $ref: reference, anyOf, oneOf, not, if: condition } = schema;
  const satisfied = (branch: unknown) => fits(value, branch);
  return (
    (typeof reference !== 'string' || satisfied(resolve(reference, search))) &&
    listAt(schema, 'allOf').every(satisfied) &&
    (!Array.isArray(anyOf) || countFitting(anyOf, satisfied, 1, budget) === 1) &&
    (!Array.isArray(oneOf) || countFitting(oneOf, satisfied, 2, budget) === 1) &&
    (not === undefined || !satisfied(not)) &&
    (condition === undefined || satisfied(satisfied(condition) ? schema['then'] : schema['else']))
  );
}
