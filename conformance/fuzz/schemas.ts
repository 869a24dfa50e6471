import document from '@paid-inference/contract/openapi.json' with { type: 'json' };
import { isObject, type JsonObject } from '../wire/base64-json.ts';

/** The contract's schemas by name, as they are published. */
export const contractSchemas: Schemas = document.components.schemas;

/** A schema as it was read: nothing is known of it yet. */
export type Schemas = Readonly<Record<string, unknown>>;

/** Keywords that random values are made from. */
const generating = [
  '$ref',
  'additionalProperties',
  'anyOf',
  'enum',
  'items',
  'maxItems',
  'maximum',
  'minItems',
  'minLength',
  'minimum',
  'oneOf',
  'properties',
  'required',
  'type',
] as const;
export type Keyword = (typeof generating)[number];

/** Keywords that allow less than the others and never more: what breaks them is thrown away by the validator. */
const narrowing = ['dependentSchemas', 'else', 'if'];

/** Keywords that allow and forbid nothing. `format` names here the width of a number, which `minimum` and `maximum` bound. */
const describing = ['default', 'description', 'discriminator', 'format'];

const known: ReadonlySet<string> = new Set([...generating, ...narrowing, ...describing]);

/**
 * Reads one schema. A keyword that is not known is a fault of this suite, and thrown: whoever adds one to the contract must
 * say here what it means, lest valid values be made that are not.
 */
export function readSchema(schema: unknown, at: string): Readonly<Partial<Record<Keyword, unknown>>> {
  if (!isObject(schema)) throw new Error(`${at} is no schema`);
  const unknown = Object.keys(schema).filter((keyword) => !known.has(keyword));
  if (unknown.length > 0) throw new Error(`no random value is made from ${unknown.join(', ')} (${at})`);
  return schema;
}

/** The schema that a reference leads to, and its name. */
export function schemaBehind(reference: unknown, schemas: Schemas): { name: string; schema: unknown } {
  const name = /^#\/components\/schemas\/(\w+)$/.exec(String(reference))?.[1] ?? '';
  const schema = schemas[name];
  if (schema === undefined) throw new Error(`there is no schema ${reference}`);
  return { name, schema };
}

export function asProperties(value: unknown): JsonObject {
  return isObject(value) ? value : {};
}
