import { numberFits } from './numbers.ts';
import { listAt, type Schema, typesOf } from './schema.ts';
import { stringFits } from './strings.ts';

/** Values of an enumeration that are looked at. */
const valuesMax = 1_000;

/** The values that `const` and `enum` leave, of those that the other keywords allow; null where there is neither. */
export function allowedValues(schema: Schema): readonly unknown[] | null {
  const named = Object.hasOwn(schema, 'const') ? [schema['const']] : listAt(schema, 'enum');
  if (named === undefined) return null;
  // Whoever names the values need not be asked again whether they match the pattern.
  const { pattern: _, ...rest } = schema;
  const fitting = named.slice(0, valuesMax).filter((value) => scalarFits(value, rest));
  return fitting.toSorted((a, b) => Number(a === null) - Number(b === null));
}

function scalarFits(value: unknown, schema: Schema): boolean {
  const types = Object.hasOwn(schema, 'type') ? typesOf(schema) : null;
  const has = (type: string) => types === null || types.includes(type);
  if (typeof value === 'string') return has('string') && stringFits(value, schema);
  if (typeof value === 'number') {
    const isInteger = types !== null && !types.includes('number');
    return (has('number') || has('integer')) && numberFits(value, schema, isInteger);
  }
  if (typeof value === 'boolean') return has('boolean');
  if (value === null) return has('null');
  return has(Array.isArray(value) ? 'array' : 'object');
}

/** The values that a schema proposes without demanding them. */
export function suggested(schema: Schema): readonly unknown[] {
  return [
    ...(Object.hasOwn(schema, 'default') ? [schema['default']] : []),
    ...(listAt(schema, 'examples') ?? []),
  ];
}
