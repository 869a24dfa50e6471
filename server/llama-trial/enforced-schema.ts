/** For tests: the keywords that the grammar of a schema does not require (D-333). */
const unenforced: ReadonlySet<string> = new Set([
  'contains',
  'dependentRequired',
  'dependentSchemas',
  'else',
  'exclusiveMaximum',
  'exclusiveMinimum',
  'format',
  'if',
  'maximum',
  'minProperties',
  'minimum',
  'multipleOf',
  'not',
  'pattern',
  'patternProperties',
  'propertyNames',
  'then',
  'uniqueItems',
]);

/** Returns the schema without these keywords. One that has `oneOf` may match several branches. */
export function withoutUnenforced(schema: unknown, isList = false): unknown {
  if (Array.isArray(schema)) return schema.map((each) => withoutUnenforced(each));
  if (typeof schema !== 'object' || schema === null) return schema;
  const entries = Object.entries(schema).filter(([name]) => isList || !unenforced.has(name));
  return Object.fromEntries(
    entries.map(([name, value]) => {
      if (!isList && ['const', 'enum', 'examples', 'default', 'required'].includes(name))
        return [name, value];
      const isNamed = !isList && ['properties', '$defs'].includes(name);
      return [!isList && name === 'oneOf' ? 'anyOf' : name, withoutUnenforced(value, isNamed)];
    }),
  );
}
