import { extensionFields } from '@paid-inference/contract/constants';
import document from '@paid-inference/contract/openapi.json' with { type: 'json' };
import { isObject, type JsonObject } from '../wire/base64-json.ts';

const { ChatCompletionRequest, CompletionRequest } = document.components.schemas;

/** The published schemas of the contract, by name, without fields that a deployment may refuse (D-264). */
export const contractSchemas: Schemas = {
  ...document.components.schemas,
  ChatCompletionRequest: withoutExtensions(ChatCompletionRequest, extensionFields.ChatCompletionRequest),
  CompletionRequest: withoutExtensions(CompletionRequest, extensionFields.CompletionRequest),
};

function withoutExtensions(schema: { readonly properties: object }, names: readonly string[]): object {
  const properties = Object.entries(schema.properties).filter(([name]) => !names.includes(name));
  return { ...schema, properties: Object.fromEntries(properties) };
}

/** Unvalidated schemas by name. */
export type Schemas = Readonly<Record<string, unknown>>;

/** Keywords that determine random values. */
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

/** Keywords that only narrow a schema. The validator discards values that break them. */
const narrowing = ['dependentSchemas', 'else', 'if'];

/** Keywords without a rule. `format` is here the width of a number, which `minimum` and `maximum` bound. */
const describing = ['default', 'description', 'discriminator', 'examples', 'format'];

const known: ReadonlySet<string> = new Set([...generating, ...narrowing, ...describing]);

/**
 * Reads one schema. Throws on an unknown keyword, because the suite could create invalid values without it. Add
 * a new keyword of the contract to one of the lists above.
 */
export function readSchema(schema: unknown, at: string): Readonly<Partial<Record<Keyword, unknown>>> {
  if (!isObject(schema)) throw new Error(`${at} is not a schema.`);
  const unknown = Object.keys(schema).filter((keyword) => !known.has(keyword));
  if (unknown.length > 0)
    throw new Error(
      `Cannot create random values from the keyword ${unknown.join(', ')} (${at}). Add it to fuzz/schemas.ts.`,
    );
  return schema;
}

/** Resolves a reference to the name of a schema and the schema. */
export function schemaBehind(reference: unknown, schemas: Schemas): { name: string; schema: unknown } {
  const name = /^#\/components\/schemas\/(\w+)$/.exec(String(reference))?.[1] ?? '';
  const schema = schemas[name];
  if (schema === undefined) throw new Error(`There is no schema ${reference}.`);
  return { name, schema };
}

export function asProperties(value: unknown): JsonObject {
  return isObject(value) ? value : {};
}
