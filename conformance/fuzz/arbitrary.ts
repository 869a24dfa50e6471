import fc, { type Arbitrary } from 'fast-check';
import { asProperties, type Keyword, readSchema, type Schemas, schemaBehind } from './schemas.ts';

/** Replacements by the name of a schema (`ModelId`) or of one of its properties (`ToolCall.id`). */
export type Instead = Readonly<Record<string, Arbitrary<unknown>>>;

/** Names of schemas whose optional members are always present. */
export type Whole = readonly string[];

type Schema = Readonly<Partial<Record<Keyword, unknown>>>;
type Source = { readonly schemas: Schemas; readonly instead: Instead; readonly whole: Whole };

/** Small limits, so that a body is cheap to send and easy to read. */
const itemsMore = 2;
const charactersMax = 24;

/**
 * Creates random values of a named schema. It covers the keywords of the contract's schemas, but ignores those
 * that only narrow a schema (`if`, `dependentSchemas`). The caller must filter the values with the validator.
 */
export function createArbitrary(
  name: string,
  schemas: Schemas,
  instead: Instead = {},
  whole: Whole = [],
): Arbitrary<unknown> {
  return fromSchema({ $ref: `#/components/schemas/${name}` }, name, { schemas, instead, whole });
}

function fromSchema(schema: unknown, at: string, source: Source): Arbitrary<unknown> {
  const read = readSchema(schema, at);
  if (read.$ref !== undefined) {
    const { name, schema: behind } = schemaBehind(read.$ref, source.schemas);
    return source.instead[name] ?? fromSchema(behind, name, source);
  }
  if (Array.isArray(read.enum)) return fc.constantFrom<unknown[]>(...read.enum);
  const choices = read.anyOf ?? read.oneOf;
  if (Array.isArray(choices)) {
    return fc.oneof(...choices.map((choice, index) => fromSchema(choice, `${at}|${index}`, source)));
  }
  return fromType(read, at, source);
}

function fromType(schema: Schema, at: string, source: Source): Arbitrary<unknown> {
  switch (schema.type) {
    case 'string':
      return fc.string({
        unit: 'grapheme',
        minLength: numberOr(schema.minLength, 1),
        maxLength: charactersMax,
      });
    case 'integer':
      return fc.integer({
        min: numberOr(schema.minimum, -(2 ** 31)),
        max: numberOr(schema.maximum, 2 ** 31 - 1),
      });
    case 'number':
      return fc.double({
        min: numberOr(schema.minimum, -1e6),
        max: numberOr(schema.maximum, 1e6),
        noNaN: true,
      });
    case 'boolean':
      return fc.boolean();
    case 'null':
      return fc.constant(null);
    case 'array': {
      const minLength = numberOr(schema.minItems, 0);
      const maxLength = Math.min(numberOr(schema.maxItems, Number.POSITIVE_INFINITY), minLength + itemsMore);
      return fc.array(fromSchema(schema.items, `${at}[]`, source), { minLength, maxLength });
    }
    case 'object':
      return fromObject(schema, at, source);
    default:
      throw new Error(`Cannot create random values of the type ${schema.type} (${at}).`);
  }
}

/** Adds no unknown members, because the contract has no rule for them (D-09). */
function fromObject(schema: Schema, at: string, source: Source): Arbitrary<unknown> {
  const properties = Object.entries(asProperties(schema.properties));
  if (properties.length === 0 && schema.additionalProperties !== undefined) {
    const value = fromSchema(schema.additionalProperties, `${at}.*`, source);
    return fc.dictionary(identifiers, value, { maxKeys: itemsMore, noNullPrototype: true });
  }
  const record = Object.fromEntries(
    properties.map(([name, property]) => {
      const path = `${at}.${name}`;
      return [name, source.instead[path] ?? fromSchema(property, path, source)];
    }),
  );
  if (source.whole.includes(at)) return fc.record(record, { noNullPrototype: true });
  const requiredKeys = Array.isArray(schema.required) ? schema.required.map(String) : [];
  return fc.record(record, { requiredKeys, noNullPrototype: true });
}

/** Names in lower case, as programs use them. */
export const identifiers = fc.stringMatching(/^[a-z][a-z_]{0,11}$/);

function numberOr(value: unknown, fallback: number): number {
  return typeof value === 'number' ? value : fallback;
}
