/** A JSON Schema from a caller: any keyword may hold anything, so each is asked for by the type that it should have. */
export type Schema = Readonly<Record<string, unknown>>;

export function isRecord(value: unknown): value is Schema {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export function numberAt(schema: Schema, keyword: string): number | undefined {
  const value = schema[keyword];
  return typeof value === 'number' ? value : undefined;
}

export function listAt(schema: Schema, keyword: string): readonly unknown[] | undefined {
  const value = schema[keyword];
  return Array.isArray(value) ? value : undefined;
}

/** The types that a schema allows, null last, since an argument that says something is better. */
export function typesOf(schema: Schema): readonly string[] {
  const named = typeof schema['type'] === 'string' ? [schema['type']] : listAt(schema, 'type');
  const types = named?.filter((type) => typeof type === 'string') ?? [typeMeant(schema)];
  return types.toSorted((a, b) => Number(a === 'null') - Number(b === 'null'));
}

/** Work that may still be done for one call: schemas can be made that are endless, or just very wide. */
export type Budget = { steps: number };

/** Takes steps from a budget; false once there are none left. */
export function spend(budget: Budget, steps: number): boolean {
  budget.steps -= steps;
  return budget.steps > 0;
}

/**
 * A schema without `$ref`, `allOf`, `anyOf` and `oneOf`: one schema for each way through their branches, the first
 * branches first. None where branches contradict each other, and none once the budget is used up.
 */
export function* variantsOf(schema: unknown, root: Schema, budget: Budget, depth = 0): Generator<Schema> {
  if (!spend(budget, 1) || depth > depthMax) return;
  if (schema === true || schema === undefined) yield {};
  if (!isRecord(schema)) return;
  const { $ref: reference, allOf, anyOf, oneOf, ...own } = schema;
  const choices: (readonly unknown[])[] = [];
  if (typeof reference === 'string') choices.push([resolve(reference, root)]);
  if (Array.isArray(allOf)) choices.push(...allOf.slice(0, branchesMax).map((branch) => [branch]));
  if (Array.isArray(anyOf)) choices.push(anyOf);
  if (Array.isArray(oneOf)) choices.push(oneOf);
  yield* combined(own, choices, root, budget, depth);
}

const depthMax = 48;
const branchesMax = 256;

function* combined(
  base: Schema,
  [first, ...rest]: readonly (readonly unknown[])[],
  root: Schema,
  budget: Budget,
  depth: number,
): Generator<Schema> {
  if (first === undefined) {
    yield base;
    return;
  }
  for (const branch of first) {
    for (const variant of variantsOf(branch, root, budget, depth + 1)) {
      if (!spend(budget, sizeOf(base) + sizeOf(variant))) return;
      const merged = merge(base, variant);
      if (merged !== null) yield* combined(merged, rest, root, budget, depth + 1);
    }
  }
}

/** Entries that a merge would go through. */
function sizeOf(schema: Schema): number {
  const lists = [schema['properties'], schema['required'], schema['enum']];
  return lists.reduce<number>((size, list) => {
    if (Array.isArray(list)) return size + list.length;
    return isRecord(list) ? size + Object.keys(list).length : size;
  }, 1);
}

/** Follows a JSON pointer within the same document; `false`, which nothing satisfies, where it leads nowhere. */
function resolve(reference: string, root: Schema): unknown {
  if (!reference.startsWith('#')) return false;
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
    // A lone percent sign stands for itself.
  }
  return key.replaceAll('~1', '/').replaceAll('~0', '~');
}

/** Both schemas at once; null where nothing could satisfy both. */
function merge(a: Schema, b: Schema): Schema | null {
  const merged: [string, unknown][] = Object.entries({ ...a, ...b });
  for (const entry of merged) {
    const [keyword] = entry;
    if (!Object.hasOwn(a, keyword) || !Object.hasOwn(b, keyword)) continue;
    const value = mergeKeyword(keyword, a[keyword], b[keyword]);
    if (value === contradiction) return null;
    entry[1] = value;
  }
  return Object.fromEntries(merged);
}

const contradiction = Symbol('contradiction');
const lowerBounds = new Set(['minimum', 'exclusiveMinimum', 'minLength', 'minItems', 'minProperties']);
const upperBounds = new Set(['maximum', 'exclusiveMaximum', 'maxLength', 'maxItems', 'maxProperties']);

function mergeKeyword(keyword: string, a: unknown, b: unknown): unknown {
  if (typeof a === 'number' && typeof b === 'number') {
    if (lowerBounds.has(keyword)) return Math.max(a, b);
    if (upperBounds.has(keyword)) return Math.min(a, b);
    if (keyword === 'multipleOf' && a % b !== 0) return b % a === 0 ? b : a * b;
    if (keyword === 'multipleOf') return a;
  }
  if (keyword === 'type') return mergeTypes(typesOf({ type: a }), typesOf({ type: b }));
  if (keyword === 'properties' && isRecord(a) && isRecord(b)) return mergeProperties(a, b);
  if (keyword === 'required' && Array.isArray(a) && Array.isArray(b)) return [...new Set([...a, ...b])];
  if (keyword === 'enum' && Array.isArray(a) && Array.isArray(b)) {
    const others = new Set(b.map((value) => JSON.stringify(value)));
    const both = a.filter((value) => others.has(JSON.stringify(value)));
    return both.length > 0 ? both : contradiction;
  }
  if (keyword === 'const' && JSON.stringify(a) !== JSON.stringify(b)) return contradiction;
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

/** Where a schema names no type, its keywords do. */
function typeMeant(schema: Schema): string {
  const has = (...keywords: readonly string[]) => keywords.some((keyword) => Object.hasOwn(schema, keyword));
  if (has('properties', 'required', 'additionalProperties', 'minProperties')) return 'object';
  if (has('items', 'prefixItems', 'minItems', 'maxItems', 'uniqueItems')) return 'array';
  if (has('minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'multipleOf')) return 'number';
  return 'string';
}
