import openapi from '@paid-inference/contract/openapi.json' with { type: 'json' };

/** The parts of a JSON Schema that the contract uses. */
export type Schema = {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly description?: string;
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly format?: string;
  readonly pattern?: string;
  readonly default?: unknown;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minItems?: number;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly items?: Schema;
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly allOf?: readonly Schema[];
};

type Parameter = {
  readonly $ref?: string;
  readonly name: string;
  readonly in: string;
  readonly required?: boolean;
  readonly description?: string;
  readonly schema: Schema;
};

export type Media = {
  readonly schema: Schema;
  readonly example?: unknown;
  readonly examples?: Readonly<Record<string, { readonly value: unknown }>>;
};

export type Response = {
  readonly description: string;
  readonly headers?: Readonly<
    Record<string, { readonly required?: boolean; readonly description?: string; readonly schema: Schema }>
  >;
  readonly content?: Readonly<Record<string, Media>>;
};

export type Operation = {
  readonly method: string;
  readonly path: string;
  readonly operationId: string;
  readonly summary: string;
  readonly description: string;
  readonly tags: readonly string[];
  readonly parameters: readonly Parameter[];
  readonly requestBody?: { readonly content: Readonly<Record<string, Media>> };
  readonly responses: Readonly<Record<string, Response>>;
};

type RawOperation = Omit<Operation, 'method' | 'path'>;

export const schemas = openapi.components.schemas as unknown as Readonly<Record<string, Schema>>;
const parameters = openapi.components.parameters as unknown as Readonly<Record<string, Parameter>>;

/** All operations: first the paid ones, then the others in the order of the document. */
export const operations: readonly Operation[] = Object.entries(openapi.paths)
  .flatMap(([path, item]) =>
    Object.entries(item as unknown as Record<string, RawOperation>).map(([verb, operation]) => ({
      ...operation,
      method: verb.toUpperCase(),
      path,
      parameters: operation.parameters.map(resolveParameter),
    })),
  )
  .sort((one, other) => Number(isPaid(other)) - Number(isPaid(one)));

export function isPaid({ tags }: { readonly tags: readonly string[] }): boolean {
  return tags.includes('Inference');
}

/** The last part of a reference, such as the name of a schema. */
export function refName(ref: string): string {
  return ref.slice(ref.lastIndexOf('/') + 1);
}

function resolveParameter(parameter: Parameter): Parameter {
  if (parameter.$ref === undefined) return parameter;
  const found = parameters[refName(parameter.$ref)];
  if (found === undefined) throw new Error(`The document has no parameter ${parameter.$ref}.`);
  return found;
}

/** The names of all schemas that operations use, directly or through others, in alphabetical order. */
export function usedSchemas(): readonly string[] {
  const used = new Set<string>();
  const visit = (value: unknown): void => {
    if (typeof value !== 'object' || value === null) return;
    for (const [key, each] of Object.entries(value)) {
      if (key !== '$ref' || typeof each !== 'string' || !each.startsWith('#/components/schemas/'))
        visit(each);
      else if (!used.has(refName(each))) {
        used.add(refName(each));
        visit(schemas[refName(each)]);
      }
    }
  };
  visit(operations);
  return [...used].sort();
}
