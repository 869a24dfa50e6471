import document from '@paid-inference/contract/openapi.json' with { type: 'json' };
import type { BazaarExtension } from '@paid-inference/contract/types';
import type { InferenceTask } from '../inference/engine.ts';

type Kind = InferenceTask['kind'];
type Schema = {
  readonly $ref?: string;
  readonly type?: string;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
};
type Content = { readonly examples: Readonly<Record<string, { readonly value: object }>> };

const schemas = document.components.schemas as unknown as Readonly<Record<string, Schema>>;
const { '/v1/chat/completions': chat, '/v1/completions': text } = document.paths;

const endpoints: Readonly<Record<Kind, Pick<BazaarExtension, 'schema'> & { readonly example: object }>> = {
  chat: describe(
    'ChatCompletionRequest',
    'ChatCompletion',
    chat.post.requestBody.content['application/json'],
  ),
  text: describe('CompletionRequest', 'TextCompletion', text.post.requestBody.content['application/json']),
};

/**
 * The endpoint of an offer, for directories of x402 services (D-286). Its example is the one of the contract, with a
 * model that the gateway sells.
 */
export function describeEndpoint(kind: Kind, model: string): BazaarExtension {
  const { example, schema } = endpoints[kind];
  const input = { type: 'http', method: 'POST', bodyType: 'json', body: { ...example, model } } as const;
  return { info: { input, output: { type: 'json' } }, schema };
}

function describe(request: string, response: string, { examples }: Content): (typeof endpoints)[Kind] {
  const [example] = Object.values(examples);
  if (example === undefined) throw new Error(`The contract has no example of ${request}.`);
  return { example: example.value, schema: describeInfo(listFields(request), listFields(response)) };
}

/** The required fields of a schema, with their types. */
function listFields(name: string): object {
  const { required = [], properties = {} } = schemas[name] ?? {};
  const types = required.map((field) => [field, { type: findType(properties[field]) }] as const);
  return { type: 'object', properties: Object.fromEntries(types), required };
}

function findType({ $ref, type }: Schema = {}): string | undefined {
  return $ref === undefined ? type : findType(schemas[$ref.slice($ref.lastIndexOf('/') + 1)]);
}

/** The JSON Schema of `info`. It is short, because each offer carries it in a header. */
function describeInfo(body: object, example: object): Readonly<Record<string, unknown>> {
  return {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    type: 'object',
    properties: {
      input: {
        type: 'object',
        properties: {
          type: { type: 'string', const: 'http' },
          method: { type: 'string', enum: ['POST'] },
          bodyType: { type: 'string', enum: ['json'] },
          body,
        },
        required: ['type', 'method', 'bodyType', 'body'],
        additionalProperties: false,
      },
      output: { type: 'object', properties: { type: { type: 'string' }, example }, required: ['type'] },
    },
    required: ['input'],
  };
}
