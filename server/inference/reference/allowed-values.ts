import { entriesMax, spend } from './budget.ts';
import { listAt, type Schema } from './json-schema.ts';
import { mentionsValue } from './mention.ts';
import { numberFits } from './numbers.ts';
import { listTypes } from './schema.ts';
import type { Search } from './search.ts';
import { stringFits } from './strings.ts';

/** The most values of an enumeration that are read. */
const valuesMax = 1_000;
const stepsOfValue = 4;

/** The values of `const` and `enum` that satisfy the other keywords. */
export type AllowedValues = {
  /** The values that occur in the user's message. */
  mentioned(): readonly unknown[];
  /** The value for an item of a list: mentioned ones first, null last, then again from the first. */
  at(index: number): unknown;
};

/** Null where a schema has neither `const` nor `enum`. */
export function allowedValues(schema: Schema, search: Search): AllowedValues | null {
  const listed = Object.hasOwn(schema, 'const') ? [schema['const']] : listAt(schema, 'enum');
  if (listed === undefined) return null;
  // A listed value needs no check against the pattern.
  const { pattern: _, ...rest } = schema;
  const types = Object.hasOwn(schema, 'type') ? listTypes(schema) : null;
  const fits = (value: unknown) =>
    spend(search.budget, stepsOfValue) && scalarFits(value, types, rest, search);
  return {
    mentioned: () => [...findMentioned(listed, search)].filter(fits),
    at(index) {
      const inMessage = findMentioned(listed, search);
      const fitting: unknown[] = [];
      for (const value of inTurn(listed.slice(0, valuesMax), inMessage)) {
        if (fits(value)) fitting.push(value);
        // One value is wanted, so the search ends once it is found.
        if (fitting.length > index || search.budget.steps <= 0) break;
      }
      return fitting[index % Math.max(fitting.length, 1)];
    },
  };
}

function* inTurn(listed: readonly unknown[], mentioned: ReadonlySet<unknown>): Generator<unknown> {
  yield* mentioned;
  for (const value of listed) if (value !== null && !mentioned.has(value)) yield value;
  if (listed.includes(null)) yield null;
}

function findMentioned(listed: readonly unknown[], search: Search): ReadonlySet<unknown> {
  const known = search.mentioned.get(listed);
  if (known !== undefined) return known;
  const found = listed.slice(0, valuesMax).filter((value) => mentionsValue(value, search));
  const mentioned = new Set(found);
  search.mentioned.set(listed, mentioned);
  return mentioned;
}

function scalarFits(
  value: unknown,
  types: readonly string[] | null,
  schema: Schema,
  search: Search,
): boolean {
  const has = (type: string) => types === null || types.includes(type);
  if (typeof value === 'string') return has('string') && stringFits(value, schema, search);
  if (typeof value === 'number') {
    const isInteger = types !== null && !types.includes('number');
    return (has('number') || has('integer')) && numberFits(value, schema, isInteger);
  }
  if (typeof value === 'boolean') return has('boolean');
  if (value === null) return has('null');
  return has(Array.isArray(value) ? 'array' : 'object');
}

/** The values of `default` and `examples`, at most `entriesMax` of the latter. */
export function suggested(schema: Schema, { budget }: Search): readonly unknown[] {
  const suggestions = [
    ...(Object.hasOwn(schema, 'default') ? [schema['default']] : []),
    ...(listAt(schema, 'examples')?.slice(0, entriesMax) ?? []),
  ];
  return spend(budget, stepsOfValue * suggestions.length) ? suggestions : [];
}
