import { extensionFields } from '@paid-inference/contract/constants';
import { ChatCompletionRequest, CompletionRequest } from '@paid-inference/contract/validators';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { bodyFault } from '../independent/body-rules.ts';
import { catalogModel } from '../independent/steps.ts';
import { createArbitrary } from './arbitrary.ts';
import { changed, invalidBodies, pathsIn } from './invalid-bodies.ts';
import { contractSchemas } from './schemas.ts';
import { type RandomBody, validBodies } from './valid-bodies.ts';

const seed = 20_260_117;
const valid = fc.sample(validBodies(catalogModel), { seed, numRuns: 400 });
const invalid = fc.sample(invalidBodies(catalogModel), { seed, numRuns: 400 });

const isProvenValid = ({ endpoint, body }: RandomBody) =>
  endpoint === 'chat' ? ChatCompletionRequest(body) : CompletionRequest(body);

describe(`random bodies (seed ${seed})`, () => {
  it('are valid for the validator and for the handwritten rules if they must be', () => {
    expect(valid.filter((random) => !isProvenValid(random))).toEqual([]);
    const faults = valid.map(({ endpoint, body }) => bodyFault(endpoint, body, [catalogModel]));
    expect(faults.filter((fault) => fault !== undefined)).toEqual([]);
  });

  it('are invalid for the validator if they must be', () => {
    expect(invalid.filter(isProvenValid)).toEqual([]);
  });

  it('contain every optional part of a request', () => {
    const text = JSON.stringify(valid);
    for (const word of [
      'tool_calls',
      'tool_call_id',
      'tool_choice',
      'temperature',
      'max_tokens',
      'stop',
      'parameters',
      'prompt',
      'system',
    ]) {
      expect(text).toContain(`"${word}"`);
    }
    expect(new Set(valid.map(({ endpoint }) => endpoint)).size).toBe(2);
  });

  it('have exactly one result for each tool call, by its id', () => {
    for (const { body } of valid) {
      const { messages = [] } = body as { messages?: { role: string; tool_calls?: { id: string }[] }[] };
      const calls = messages.flatMap(({ tool_calls = [] }) => tool_calls.map(({ id }) => id));
      const results = messages.flatMap((message) =>
        'tool_call_id' in message ? [message.tool_call_id] : [],
      );
      expect(results.toSorted()).toEqual(calls.toSorted());
    }
  });

  it('contain no field that only extends the contract, because a deployment may refuse it (D-264)', () => {
    const extensions: ReadonlySet<string> = new Set(Object.values(extensionFields).flat());
    expect(extensions.size).toBeGreaterThan(5);
    const names = [...valid, ...invalid].flatMap(({ body }) => Object.keys(Object(body)));
    expect(names.filter((name) => extensions.has(name))).toEqual([]);
  });

  it('contain nothing that the contract leaves open: no null, nothing empty, and every part of a tool (D-126)', () => {
    const values = valid.flatMap(({ body }) => pathsIn(body).map((path) => valueAt(body, path)));
    expect(values.length).toBeGreaterThan(1000);
    expect(
      values.filter((value) => typeof value === 'object' && Object.keys(value ?? {}).length === 0),
    ).toEqual([]);
    type Named = { readonly function: { readonly name: string } };
    type Body = {
      readonly tools?: readonly Named[];
      readonly messages?: readonly { tool_calls?: Named[] }[];
    };
    for (const { tools = [], messages = [] } of valid.map(({ body }) => body as Body)) {
      for (const { function: described } of tools) {
        expect(Object.keys(described).sort()).toEqual(['description', 'name', 'parameters']);
      }
      const names = tools.map((tool) => tool.function.name);
      const called = messages.flatMap(({ tool_calls: calls = [] }) =>
        calls.map((call) => call.function.name),
      );
      expect(called.filter((name) => !names.includes(name))).toEqual([]);
    }
  });

  it('are equal for equal seeds', () => {
    expect(fc.sample(validBodies(catalogModel), { seed, numRuns: 20 })).toEqual(valid.slice(0, 20));
    expect(fc.sample(validBodies(catalogModel), { seed: seed + 1, numRuns: 20 })).not.toEqual(
      valid.slice(0, 20),
    );
  });

  it('stay invalid while fast-check shrinks them', async () => {
    const tried: RandomBody[] = [];
    await fc.check(
      fc.asyncProperty(invalidBodies(catalogModel), async (random) => {
        tried.push(random);
        return false;
      }),
      { seed, numRuns: 5 },
    );
    expect(tried.length).toBeGreaterThan(5);
    expect(tried.filter(isProvenValid)).toEqual([]);
  });
});

function valueAt(body: unknown, path: readonly (string | number)[]): unknown {
  return path.reduce<unknown>((value, key) => Reflect.get(Object(value), key), body);
}

describe('a replaced value', () => {
  const body = { a: [1, { b: 2 }], c: 3 };

  it('can be any value of the body', () => {
    expect(pathsIn(body)).toEqual([[], ['a'], ['a', 0], ['a', 1], ['a', 1, 'b'], ['c']]);
  });

  it.each([
    [[], null, null],
    [['a', 1, 'b'], 'x', { a: [1, { b: 'x' }], c: 3 }],
    [['a', 0], 'delete', { a: [{ b: 2 }], c: 3 }],
    [['c'], 'delete', { a: [1, { b: 2 }] }],
  ] as const)('at %j with %j leaves all other values unchanged', (path, operator, expected) => {
    expect(changed(body, path, operator)).toEqual(expected);
  });
});

describe('a schema', () => {
  const samples = (schema: unknown) =>
    fc.sample(createArbitrary('Thing', { Thing: schema, Name: { type: 'string', minLength: 2 } }), {
      seed,
      numRuns: 100,
    });

  it.each([
    ['a reference', { $ref: '#/components/schemas/Name' }, (value: unknown) => String(value).length >= 2],
    ['an enum', { type: 'string', enum: ['a', 'b'] }, (value: unknown) => value === 'a' || value === 'b'],
    [
      'bounds',
      { type: 'number', minimum: 0, maximum: 2 },
      (value: unknown) => Number(value) >= 0 && Number(value) <= 2,
    ],
    [
      'a minimum length',
      { type: 'array', minItems: 1, items: { type: 'null' } },
      (value: unknown) => Array.isArray(value) && value.length >= 1,
    ],
    [
      'alternatives',
      { anyOf: [{ type: 'null' }, { type: 'boolean' }] },
      (value: unknown) => value === null || typeof value === 'boolean',
    ],
  ])('with %s creates only allowed values', (_, schema, isAllowed) => {
    expect(samples(schema).filter((value) => !isAllowed(value))).toEqual([]);
  });

  it.each([
    ['pattern', { type: 'string', pattern: '^a$' }],
    ['uniqueItems', { type: 'array', items: { type: 'null' }, uniqueItems: true }],
    ['not', { type: 'object', properties: { inner: { not: {} } } }],
  ])('with the unknown keyword %s throws', (keyword, schema) => {
    expect(() => samples(schema)).toThrow(`Cannot create random values from the keyword ${keyword}`);
  });

  it('with an unknown type or an unresolved reference throws', () => {
    expect(() => samples({ type: 'date' })).toThrow('the type date');
    expect(() => samples({ $ref: '#/components/schemas/None' })).toThrow('There is no schema');
  });

  it('of each request body is supported', () => {
    for (const name of ['ChatCompletionRequest', 'CompletionRequest']) {
      expect(() => createArbitrary(name, contractSchemas)).not.toThrow();
    }
  });
});
