import * as headers from '@paid-inference/contract/headers';
import portable from '@paid-inference/contract/openapi.3.0.json' with { type: 'json' };
import precise from '@paid-inference/contract/openapi.json' with { type: 'json' };
import { describe, expect, it } from 'vitest';
import { findValidator } from '../testing/rules.ts';

type Media = {
  readonly schema: { readonly $ref: string };
  readonly example?: unknown;
  readonly examples?: Readonly<Record<string, { readonly value: unknown }>>;
};
type Content = { readonly content?: { readonly 'application/json'?: Media } };
type Operation = {
  readonly operationId: string;
  readonly requestBody?: Content;
  readonly responses: Readonly<Record<string, Content>>;
};
type Header = keyof typeof decoders;

const decoders = {
  EncodedInferenceProof: headers.decodeInferenceProof,
  EncodedPaymentObject: headers.decodePaymentObject,
  EncodedPaymentReceipt: headers.decodePaymentReceipt,
  EncodedPaymentRequirements: headers.decodePaymentRequirements,
  EncodedX402V2Offer: headers.decodeX402V2Offer,
  EncodedX402V2Payment: headers.decodeX402V2Payment,
  EncodedX402V2Refusal: headers.decodeX402V2Refusal,
};

// Those of the 3.0 document would be warnings of a generator (D-288).
it.each(listOperations(precise).map((operation) => [operation.operationId, operation] as const))(
  '%s has an example of its response, and of its request if it takes a body',
  (_id, { requestBody, responses }) => {
    expect(listExamples(responses['200']).length).toBeGreaterThan(0);
    if (requestBody !== undefined) expect(listExamples(requestBody).length).toBeGreaterThan(0);
  },
);

describe.each([
  ['OpenAPI 3.1', precise],
  ['OpenAPI 3.0', portable],
])('%s', (_name, document) => {
  it.each(Object.keys(decoders))('the example of %s decodes', (name) => {
    const schema: object = document.components.schemas[name as Header];
    const [example] =
      'examples' in schema ? (schema.examples as string[]) : [(schema as { example: string }).example];
    expect(findValidator(name)(example)).toBe(true);
    expect(decoders[name as Header](example ?? '')).toMatchObject({ ok: true });
  });
});

it.each(listOperations(precise).flatMap(everyExample))(
  '%s matches the schema %s',
  (_place, schema, value) => {
    const validate = findValidator(schema);
    expect(validate(value), JSON.stringify(validate.errors)).toBe(true);
  },
);

it('the example of the 402 is an x402 v1 offer (D-01)', () => {
  const responses = precise.paths['/v1/chat/completions'].post.responses;
  const [body] = listExamples(responses['402'] as Content);
  expect(findValidator('X402V1Offer')(body)).toBe(true);
});

it('every header with base64 JSON has a codec', () => {
  const encoded = Object.entries(precise.components.schemas).filter(
    ([, schema]) => 'contentSchema' in schema,
  );
  expect(encoded.map(([name]) => name).sort()).toEqual(Object.keys(decoders));
});

function listOperations({ paths }: { readonly paths: object }): Operation[] {
  return Object.values(paths).flatMap((item: object) => Object.values(item) as Operation[]);
}

function everyExample(operation: Operation): [place: string, schema: string, value: unknown][] {
  const places: [string, Content | undefined][] = [
    [`${operation.operationId}, request`, operation.requestBody],
    ...Object.entries(operation.responses).map(([status, response]): [string, Content] => [
      `${operation.operationId}, ${status}`,
      response,
    ]),
  ];
  return places.flatMap(([place, content]) =>
    listExamples(content).map((value): [string, string, unknown] => [place, findSchema(content), value]),
  );
}

function listExamples(content: Content | undefined): unknown[] {
  const media = content?.content?.['application/json'];
  const several = Object.values(media?.examples ?? {}).map(({ value }) => value);
  return media?.example === undefined ? several : [media.example, ...several];
}

function findSchema(content: Content | undefined): string {
  return content?.content?.['application/json']?.schema.$ref.split('/').at(-1) ?? 'no schema';
}
