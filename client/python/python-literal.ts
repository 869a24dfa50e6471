/** Python source of a JSON value, with four spaces for each level. */
export function pythonLiteral(value: unknown, indent = ''): string {
  const inner = `${indent}    `;
  if (value === null) return 'None';
  if (typeof value === 'boolean') return value ? 'True' : 'False';
  // A string of JSON is a string of Python too.
  if (typeof value === 'string' || typeof value === 'number') return JSON.stringify(value);
  if (Array.isArray(value))
    return `[\n${value.map((item) => `${inner}${pythonLiteral(item, inner)},\n`).join('')}${indent}]`;
  const rows = Object.entries(Object(value)).map(
    ([key, item]) => `${inner}${JSON.stringify(key)}: ${pythonLiteral(item, inner)},\n`,
  );
  return `{\n${rows.join('')}${indent}}`;
}

/** The rules that `check` of _codec.py knows. Another rule must be added there first. */
const checked = new Set(['type', 'enum', 'required', 'properties', 'pattern', 'minimum', 'maximum']);
const annotations = new Set(['description', 'format']);
const int32Range = { minimum: -(2 ** 31), maximum: 2 ** 31 - 1 };

/** A schema of the OpenAPI document without references and annotations. */
export function simplifySchema(document: object, name: string): object {
  const { components } = document as { components: { schemas: Record<string, unknown> } };
  return simplify(components.schemas[name]);

  function simplify(schema: unknown): object {
    if (typeof schema !== 'object' || schema === null) throw new Error(`${name} is not a schema`);
    const { $ref } = schema as { readonly $ref?: string };
    if ($ref !== undefined) return simplify(components.schemas[$ref.split('/').at(-1) ?? '']);
    const kept = Object.entries(schema).filter(([key]) => !annotations.has(key));
    const unknown = kept.find(([key]) => !checked.has(key));
    if (unknown !== undefined) throw new Error(`The Python client does not check "${unknown[0]}"`);
    const isInt32 = 'format' in schema && schema.format === 'int32';
    return {
      ...(isInt32 && int32Range),
      ...Object.fromEntries(
        kept.map(([key, value]) => [key, key === 'properties' ? eachProperty(Object(value)) : value]),
      ),
    };
  }

  function eachProperty(properties: Readonly<Record<string, unknown>>): object {
    return Object.fromEntries(Object.entries(properties).map(([key, value]) => [key, simplify(value)]));
  }
}
