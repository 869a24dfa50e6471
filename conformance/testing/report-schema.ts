import { Ajv2020 } from 'ajv/dist/2020.js';

/** The faults of a JSON report against its schema, once as published and once with all further fields forbidden. */
export function findSchemaFaults(schema: { readonly $id: string }, report: string): readonly unknown[] {
  const ajv = new Ajv2020({ allErrors: true, strict: true, strictRequired: false, allowUnionTypes: true });
  const { $id: _, ...anonymous } = schema;
  const value: unknown = JSON.parse(report);
  return [schema, withoutStrangers(anonymous)].flatMap((each) => {
    const validate = ajv.compile(each);
    return validate(value) ? [] : (validate.errors ?? []);
  });
}

/** The schema without additional properties. */
function withoutStrangers(part: unknown): object {
  return JSON.parse(
    JSON.stringify(part, (_, value) =>
      value?.type === 'object' && value.properties ? { ...value, additionalProperties: false } : value,
    ),
  );
}
