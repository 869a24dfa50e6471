import { type Json, type JsonObject, walk } from './json.ts';

type Schema = JsonObject & {
  readonly properties?: { readonly [name: string]: Schema };
  readonly enum?: Json[];
};
type Media = { schema: { $ref: string }; example?: Json; examples?: Json };
type Response = { readonly content?: { readonly 'application/json': Media } };
type Operation = {
  readonly requestBody?: Response;
  readonly responses: Record<string, Response>;
};
type Document = {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: { schemas: Record<string, Schema> };
};

/** A change of the 3.0 document that a generator needs (D-288). */
type Rule = {
  readonly name: string;
  /** The generators that fail without the rule, and how. */
  readonly needs: string;
  readonly apply: (document: Document) => void;
};

/** The rules, in the order in which they apply. */
const rules: readonly Rule[] = [
  {
    name: 'all errors have one schema',
    needs:
      'progenitor panics if the errors of an operation differ. Java does not compile a union with a free-form object.',
    apply: shareErrors,
  },
  {
    name: 'a union of several types keeps its first variant, which is the one of the contract',
    needs: 'Java (native) does not compile a union of an array and a string.',
    apply: keepFirstVariants,
  },
  {
    name: 'an array or map of plain values has no name of its own',
    needs: 'Java warns about a name that it does not find, which is that of the plain values.',
    apply: inlineContainers,
  },
  {
    name: 'requests and responses have no examples',
    needs: 'Java warns about the examples of objects.',
    apply: dropExamples,
  },
  {
    name: 'a fixed number is an integer, and a fixed boolean is a boolean',
    needs: 'Java (native, okhttp-gson) does not compile an enum of decimal numbers or booleans.',
    apply: simplifyFixedValues,
  },
  {
    name: 'an enum in a property has a title',
    needs:
      'datamodel-codegen numbers enums without a title, as in `Type15`. Its option `--use-title-as-name` takes the title.',
    apply: nameEnums,
  },
];

/**
 * Makes the 3.0 document one from which generators make programs that compile. It says less than the 3.1 document,
 * which stays exact.
 */
export function makePortable(document: object): object {
  const copy = structuredClone(document) as Document;
  for (const { apply } of rules) apply(copy);
  return copy;
}

const errorBody: Schema = {
  type: 'object',
  description:
    'The body of every error. `error` is an `ErrorDetail`. In a 402 with an offer it is a text, or missing.',
  properties: { error: { description: 'An `ErrorDetail`, or the reason of an offer as a text.' } },
};

/**
 * A response with another schema, such as the 503 of a readiness check, stays. Then the errors of its operation are
 * not declared, because a program can read every undeclared status.
 */
function shareErrors({ paths, components }: Document): void {
  const entries = Object.entries(components.schemas);
  const details = entries.filter(([name]) => name.endsWith('Detail')).map(([, schema]) => schema);
  for (const { responses } of Object.values(paths).flatMap((item) => Object.values(item))) {
    const failures = Object.entries(responses).filter(([status]) => Number(status) >= 400);
    const errors = failures.filter(([, response]) => schemaName(response).endsWith('Body'));
    for (const [status, response] of errors)
      if (errors.length < failures.length) delete responses[status];
      else if (response.content) response.content['application/json'].schema.$ref = reference('ErrorBody');
  }
  const kept = entries.filter(([name]) => !/(Body|Detail)$/.test(name));
  const added: [string, Schema][] = [
    ['ErrorBody', errorBody],
    ['ErrorDetail', describeDetails(details)],
  ];
  const sorted = [...kept, ...added].toSorted(([one], [other]) => (one < other ? -1 : 1));
  components.schemas = Object.fromEntries(sorted);
}

/** One schema for all errors. Its sets are open, because a later version may add errors. */
function describeDetails(details: readonly Schema[]): Schema {
  const { properties = {}, ...detail } = details[0] ?? {};
  const open = Object.entries(properties).map(([name, { enum: fixed, ...property }]): [string, Schema] => {
    if (fixed === undefined) return [name, property as Schema];
    const known = details.flatMap((each) => each.properties?.[name]?.enum ?? []);
    return [name, { ...property, 'x-extensible-enum': [...new Set(known)].sort() }];
  });
  return { ...detail, properties: Object.fromEntries(open) } as Schema;
}

function keepFirstVariants(document: Document): void {
  const { schemas } = document.components;
  const resolve = (schema: JsonObject) =>
    schemas[String(schema['$ref'] ?? '').slice(reference('').length)] ?? schema;
  walk(document as unknown as Json, (node) => {
    const variants = (node['anyOf'] as JsonObject[] | undefined)?.map(resolve) ?? [];
    const [first] = variants;
    if (first === undefined || new Set(variants.map(({ type }) => type)).size === 1) return;
    delete node['anyOf'];
    Object.assign(node, { ...first, ...node });
  });
}

function inlineContainers(document: Document): void {
  const { schemas } = document.components;
  const containers = Object.entries(schemas).filter(([, { properties, items, additionalProperties }]) =>
    [items, properties === undefined && additionalProperties].some(isPlain),
  );
  for (const [name, schema] of containers) {
    delete schemas[name];
    walk(document as unknown as Json, (node) => {
      if (node['$ref'] !== reference(name)) return;
      delete node['$ref'];
      Object.assign(node, structuredClone(schema));
    });
  }
}

function isPlain(schema: unknown): boolean {
  return typeof schema === 'object' && schema !== null && 'type' in schema;
}

function dropExamples({ paths }: Document): void {
  for (const { requestBody, responses } of Object.values(paths).flatMap((item) => Object.values(item)))
    for (const { content } of [requestBody ?? {}, ...Object.values(responses)])
      for (const media of Object.values(content ?? {})) {
        delete media.example;
        delete media.examples;
      }
}

function simplifyFixedValues(document: Document): void {
  walk(document as unknown as Json, (node) => {
    const { type, enum: fixed } = node;
    if (!Array.isArray(fixed)) return;
    if (type === 'number' && fixed.every(Number.isInteger)) node['type'] = 'integer';
    if (type === 'boolean') delete node['enum'];
  });
}

function nameEnums({ components }: Document): void {
  for (const [owner, { properties = {} }] of Object.entries(components.schemas))
    for (const [name, property] of Object.entries(properties))
      if (Array.isArray(property.enum)) property['title'] = owner + capitalize(name);
}

function schemaName({ content }: Response): string {
  return content?.['application/json'].schema.$ref.slice(reference('').length) ?? '';
}

function reference(name: string): string {
  return `#/components/schemas/${name}`;
}

function capitalize(name: string): string {
  return name.replace(/(?:^|_)(\w)/g, (_match, letter: string) => letter.toUpperCase());
}
