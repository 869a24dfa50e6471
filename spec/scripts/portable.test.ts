import { errorTable } from '@paid-inference/contract/errors';
import portable from '@paid-inference/contract/openapi.3.0.json' with { type: 'json' };
import precise from '@paid-inference/contract/openapi.json' with { type: 'json' };
import { Ajv } from 'ajv';
import { describe, expect, it } from 'vitest';
import { makePortable } from './portable.ts';

type Schema = { readonly [keyword: string]: unknown };
type Media = {
  readonly schema: { readonly $ref: string };
  readonly example?: unknown;
  readonly examples?: object;
};
type Content = { readonly content?: { readonly 'application/json': Media } };
type Operation = {
  readonly operationId: string;
  readonly requestBody?: Content;
  readonly responses: Readonly<Record<string, Content>>;
};

const schemas: Readonly<Record<string, Schema>> = portable.components.schemas;
const operations = Object.values(portable.paths).flatMap(
  (item: object) => Object.values(item) as Operation[],
);
const nodes = Object.values(schemas).flatMap(listSchemas);

describe('D-288: the 3.0 document', () => {
  it.each(operations.map((operation) => [operation.operationId, operation] as const))(
    '%s has one schema for all its errors (progenitor)',
    (_id, { responses }) => {
      const failures = Object.entries(responses).filter(([status]) => Number(status) >= 400);
      expect(new Set(failures.map(([, response]) => findSchema(response))).size).toBe(1);
    },
  );

  it('has no union but the messages, which have a discriminator (Java)', () => {
    expect(nodes.length).toBeGreaterThan(150);
    const unions = nodes.filter((node) => 'anyOf' in node || 'oneOf' in node);
    expect(unions).toEqual([schemas['Message']]);
    expect(schemas['Message']).toHaveProperty('discriminator.mapping');
  });

  it('has no schema that is true or false (oapi-codegen)', () => {
    expect(nodes.filter((node) => typeof node !== 'object' || node === null)).toEqual([]);
  });

  it('has no name for an array or map of plain values (Java)', () => {
    const values = Object.values(schemas).flatMap(({ items, properties, additionalProperties }) => [
      items,
      properties === undefined ? additionalProperties : undefined,
    ]);
    expect(
      values.filter((value) => typeof value === 'object' && !Object.hasOwn(value ?? {}, '$ref')),
    ).toEqual([]);
  });

  it('has no examples of requests and responses (Java)', () => {
    const contents = operations.flatMap(({ requestBody, responses }) => [
      requestBody,
      ...Object.values(responses),
    ]);
    const media = contents.flatMap((each) => Object.values(each?.content ?? {}));
    expect(media.length).toBeGreaterThan(40);
    expect(media.filter((each) => 'example' in each || 'examples' in each)).toEqual([]);
  });

  it('has fixed values of strings and integers only (Java)', () => {
    const fixed = nodes.filter((node) => 'enum' in node);
    expect(new Set(fixed.map(({ type }) => type))).toEqual(new Set(['string', 'integer']));
  });

  it('gives each enum in a property a title of its own (datamodel-codegen)', () => {
    const enums = Object.values(schemas).flatMap(({ properties = {} }) =>
      Object.values(properties as Record<string, Schema>).filter((property) => 'enum' in property),
    );
    expect(enums.length).toBeGreaterThan(20);
    const titles = enums.map(({ title }) => String(title));
    const names = [...titles, ...Object.keys(schemas)].map((name) => name.toLowerCase());
    expect(names.filter((name, at) => names.indexOf(name) !== at)).toEqual([]);
  });

  it('names every error of the table', () => {
    const { code, type } = portable.components.schemas.ErrorDetail.properties;
    expect(code['x-extensible-enum']).toEqual(Object.keys(errorTable).sort());
    const types = new Set(Object.values(errorTable).map((row) => row.type));
    expect(type['x-extensible-enum']).toEqual([...types].sort());
  });
});

describe('D-288: the examples of the 3.1 document', () => {
  const ajv = new Ajv({ strict: false, validateFormats: false });
  ajv.addSchema({ $id: 'urn:paid-inference:portable', components: portable.components });
  const isValid = (schema: string, value: unknown) =>
    ajv.validate({ $ref: `urn:paid-inference:portable#/components/schemas/${schema}` }, value);

  it('are valid in the 3.0 document', () => {
    const pairs = operations.flatMap((operation) => {
      const same = Object.values(precise.paths)
        .flatMap((item: object) => Object.values(item) as Operation[])
        .find(({ operationId }) => operationId === operation.operationId);
      return Object.entries(operation.responses).flatMap(([status, response]) => [
        ...listExamples(same?.responses[status]).map((value) => [findSchema(response), value] as const),
      ]);
    });
    expect(pairs.length).toBeGreaterThan(10);
    expect(pairs.filter(([schema, value]) => !isValid(schema, value))).toEqual([]);
  });

  it.each(Object.entries(errorTable))('the error %s has the schema of all errors', (code, { type }) => {
    const error = { message: 'A sentence.', type, code, param: null };
    expect(isValid('ErrorBody', { error })).toBe(true);
    expect(isValid('ErrorDetail', error)).toBe(true);
  });
});

describe('makePortable', () => {
  const respond = (schema: string) => ({
    content: { 'application/json': { schema: { $ref: `#/components/schemas/${schema}` } } },
  });
  const detail = (code: string) => ({
    type: 'object',
    properties: { code: { type: 'string', enum: [code] } },
  });
  const body = { type: 'object' };
  const transform = (parts: { schemas?: object; responses?: object }) =>
    makePortable({
      paths: { '/': { get: { responses: parts.responses ?? {} } } },
      components: { schemas: parts.schemas ?? {} },
    }) as {
      readonly paths: { readonly '/': { readonly get: { readonly responses: object } } };
      readonly components: { readonly schemas: Readonly<Record<string, Schema>> };
    };

  it('gives all errors one schema, with the codes of all', () => {
    const { paths, components } = transform({
      schemas: { ABody: body, ADetail: detail('a'), BBody: body, BDetail: detail('b'), Other: body },
      responses: { 200: respond('Other'), 400: respond('ABody'), 500: respond('BBody') },
    });
    const responses = { 200: respond('Other'), 400: respond('ErrorBody'), 500: respond('ErrorBody') };
    expect(paths['/'].get.responses).toEqual(responses);
    expect(Object.keys(components.schemas)).toEqual(['ErrorBody', 'ErrorDetail', 'Other']);
    const code = { type: 'string', 'x-extensible-enum': ['a', 'b'] };
    expect(components.schemas['ErrorDetail']).toEqual({ type: 'object', properties: { code } });
  });

  it('declares no error beside another schema', () => {
    const { paths } = transform({
      schemas: { ABody: body, State: body },
      responses: { 200: respond('State'), 429: respond('ABody'), 503: respond('State') },
    });
    expect(paths['/'].get.responses).toEqual({ 200: respond('State'), 503: respond('State') });
  });

  it('keeps the first variant of a union of several types, with the description of the union', () => {
    const texts = { type: 'array', items: { $ref: '#/components/schemas/Text' }, description: 'Texts.' };
    const { components } = transform({
      schemas: {
        Texts: texts,
        Either: {
          description: 'One or more.',
          anyOf: [{ $ref: '#/components/schemas/Texts' }, { type: 'string' }],
        },
        Same: { anyOf: [{ type: 'string' }, { type: 'string', maxLength: 3 }] },
      },
    });
    expect(components.schemas['Either']).toEqual({ ...texts, description: 'One or more.' });
    expect(components.schemas['Same']).toHaveProperty('anyOf');
  });

  it('puts an array or map of plain values where it is used', () => {
    const texts = { type: 'array', items: { type: 'string' }, maxItems: 2 };
    const fields = { type: 'object', additionalProperties: { type: 'string' } };
    const others = { type: 'array', items: { $ref: '#/components/schemas/One' } };
    const refer = (name: string) => ({ $ref: `#/components/schemas/${name}` });
    const properties = { texts: refer('Texts'), fields: refer('Fields'), others: refer('Others') };
    const { components } = transform({
      schemas: {
        One: body,
        Texts: texts,
        Fields: fields,
        Others: others,
        All: { type: 'object', properties },
      },
    });
    expect(components.schemas).toEqual({
      ...{ One: body, Others: others, All: { type: 'object', properties: { ...properties, texts, fields } } },
      ErrorBody: expect.anything(),
      ErrorDetail: expect.anything(),
    });
  });

  it('makes fixed numbers integers, and fixed booleans booleans', () => {
    const properties = {
      one: { type: 'number', enum: [1] },
      half: { type: 'number', enum: [0.5] },
      no: { type: 'boolean', enum: [false] },
    };
    const { components } = transform({ schemas: { Fixed: { type: 'object', properties } } });
    expect(components.schemas['Fixed']?.['properties']).toMatchObject({
      one: { type: 'integer', enum: [1] },
      half: { type: 'number' },
      no: { type: 'boolean' },
    });
    expect(components.schemas['Fixed']).not.toHaveProperty('properties.no.enum');
  });

  it('gives an enum the name of its schema and its property', () => {
    const properties = { tool_choice: { type: 'string', enum: ['auto'] } };
    const { components } = transform({ schemas: { Chat: { type: 'object', properties } } });
    expect(components.schemas['Chat']).toHaveProperty('properties.tool_choice.title', 'ChatToolChoice');
  });

  it('does not change its argument', () => {
    const given = { paths: {}, components: { schemas: { One: { type: 'number', enum: [1] } } } };
    const before = structuredClone(given);
    makePortable(given);
    expect(given).toEqual(before);
  });
});

/** A schema and all schemas in it. */
function listSchemas(schema: Schema): Schema[] {
  if (typeof schema !== 'object' || schema === null) return [schema];
  const { properties = {}, items, additionalProperties: others, anyOf = [], oneOf = [], allOf = [] } = schema;
  const inner = [...Object.values(properties as object), ...[anyOf, oneOf, allOf].flat()] as Schema[];
  if (items !== undefined) inner.push(items as Schema);
  if (typeof others === 'object') inner.push(others as Schema);
  return [schema, ...inner.flatMap(listSchemas)];
}

function findSchema({ content }: Content): string {
  return content?.['application/json'].schema.$ref.split('/').at(-1) ?? 'no schema';
}

function listExamples(response: Content | undefined): unknown[] {
  const { example, examples = {} } = response?.content?.['application/json'] ?? {};
  const several = Object.values(examples).map(({ value }: { value: unknown }) => value);
  return example === undefined ? several : [example, ...several];
}
