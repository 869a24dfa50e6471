import document from '@paid-inference/contract/openapi.json' with { type: 'json' };

type Schema = {
  readonly $ref?: string;
  readonly discriminator?: {
    readonly propertyName: string;
    readonly mapping: Readonly<Record<string, string>>;
  };
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: Schema | boolean;
  readonly items?: Schema;
};
type JsonObject = Readonly<Record<string, unknown>>;

const schemas = document.components.schemas as unknown as Readonly<Record<string, Schema>>;

/**
 * Removes null from optional fields, because SDKs send null for a field without a value (D-263). Free-form JSON
 * stays as sent, such as the keywords of a JSON Schema that the contract does not name. Returns the body itself if
 * it has no such null.
 */
export function dropNulls(body: unknown, schemaName: string): unknown {
  return drop(body, schemas[schemaName]);
}

function drop(value: unknown, schema: Schema | undefined): unknown {
  if (typeof value !== 'object' || value === null || schema === undefined) return value;
  if (Array.isArray(value)) return dropFromItems(value, schema.items);
  const object = value as JsonObject;
  if (schema.$ref !== undefined) return drop(object, findSchema(schema.$ref));
  if (schema.discriminator === undefined) return dropFromObject(object, schema);
  const { propertyName, mapping } = schema.discriminator;
  const tag = object[propertyName];
  return typeof tag === 'string' && Object.hasOwn(mapping, tag)
    ? drop(object, findSchema(mapping[tag]))
    : object;
}

function findSchema(reference = ''): Schema | undefined {
  return schemas[reference.slice(reference.lastIndexOf('/') + 1)];
}

function dropFromItems(items: readonly unknown[], schema: Schema | undefined): readonly unknown[] {
  if (schema === undefined) return items;
  const kept = items.map((item) => drop(item, schema));
  return kept.some((item, at) => item !== items[at]) ? kept : items;
}

function dropFromObject(object: JsonObject, schema: Schema): JsonObject {
  const { properties, required = [], additionalProperties: others } = schema;
  if (properties === undefined && typeof others !== 'object') return object;
  let copy: Record<string, unknown> | null = null;
  for (const [name, member] of Object.entries(object)) {
    const isDeclared = properties !== undefined && Object.hasOwn(properties, name);
    if (member === null) {
      // A model without `additionalProperties` ignores other fields, so their nulls have no meaning either.
      if (required.includes(name) || !(isDeclared || others === undefined)) continue;
      copy ??= { ...object };
      delete copy[name];
      continue;
    }
    const kept = drop(
      member,
      isDeclared ? properties[name] : typeof others === 'object' ? others : undefined,
    );
    if (kept === member) continue;
    copy ??= { ...object };
    copy[name] = kept;
  }
  return copy ?? object;
}
