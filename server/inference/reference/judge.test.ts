import { Ajv2020 } from 'ajv/dist/2020.js';
import { expect, test } from 'vitest';
import { randomParameters } from '../../testing/inference/random-schema.ts';
import { pick, seededBelow, testSeed } from '../../testing/inference/values.ts';
import { findFacts } from './facts.ts';
import { isValid } from './judge.ts';
import { isRecord, stepsMax } from './search.ts';

const ajv = new Ajv2020({ strict: false, validateFormats: false, ownProperties: true });
const seed = testSeed();
console.info(`judge.test.ts: TEST_SEED=${seed}`);

const values = [
  ...[null, true, false, 0, 1, -3, 2.5, 1e9, '', 'a', 'ab', 'X1', '漢字', '😀😀', 'fixed', '2025-01-01'],
  ...[
    [],
    [1],
    [1, 1],
    ['a', 2, null],
    [[1], [1]],
    { a: 1 },
    { a: 'x', b: 2 },
    { b: [] },
    { A: { a: 1 } },
    {},
  ],
];

test.each<[string, unknown]>([
  ['no schema', true],
  ['a schema for nothing', false],
  ['types', { type: ['integer', 'null', 'object'] }],
  ['a constant', { const: [1] }],
  ['an enumeration', { enum: [1, 'a', { b: [] }] }],
  ['bounds', { minimum: 0, exclusiveMaximum: 2.5 }],
  ['open bounds', { exclusiveMinimum: 0, maximum: 1, minimum: -1 }],
  ['multiples', { multipleOf: 0.5 }],
  ['lengths of text in characters', { minLength: 2, maxLength: 2 }],
  ['a pattern', { pattern: '^[a-z]*$' }],
  ['lengths of lists', { minItems: 1, maxItems: 2 }],
  ['items', { items: { type: 'integer' } }],
  ['first items', { prefixItems: [{ type: 'string' }], items: { type: ['integer', 'null'] } }],
  ['items that differ', { uniqueItems: true }],
  ['a list that contains', { contains: { const: 1 } }],
  ['a list that contains twice at most', { contains: { const: 1 }, minContains: 0, maxContains: 1 }],
  ['required properties', { required: ['a'] }],
  ['properties', { properties: { a: { type: 'integer' } }, additionalProperties: false }],
  [
    'properties by pattern',
    { patternProperties: { '^[a-z]$': { type: 'integer' } }, additionalProperties: false },
  ],
  ['names of properties', { propertyNames: { pattern: '^[a-z]$' } }],
  ['numbers of properties', { minProperties: 1, maxProperties: 1 }],
  ['dependent names', { dependentRequired: { a: ['b'] } }],
  ['dependent schemas', { dependentSchemas: { b: { required: ['a'] } } }],
  ['all branches', { allOf: [{ minimum: 1 }, { type: ['integer', 'string'] }] }],
  ['any branch', { anyOf: [{ type: 'string' }, { minimum: 1 }] }],
  ['one branch', { oneOf: [{ type: 'integer' }, { minimum: 1 }] }],
  ['a negation', { not: { type: 'string' } }],
  [
    'a condition',
    { if: { type: 'string' }, ...JSON.parse('{"then":{"minLength":2}}'), else: { type: 'array' } },
  ],
  ['a reference', { $ref: '#/$defs/a%2Fb', $defs: { 'a/b': { type: 'string' } } }],
  ['a schema that refers to itself', { type: ['object', 'integer'], additionalProperties: { $ref: '#' } }],
])('judges like Ajv: %s', (_, schema) => {
  const expected = values.filter((value) => ajv.validate(schema as object, value));
  expect(values.filter((value) => judge(value, schema))).toEqual(expected);
});

test('judges like Ajv, for random schemas and values', () => {
  const below = seededBelow(seed);
  for (let round = 0; round < 300; round++) {
    const { properties = {}, $defs } = randomParameters(below);
    for (const schema of isRecord(properties) ? Object.values(properties) : []) {
      const whole = { ...Object(schema), $defs };
      const validate = ajv.compile(whole);
      const value = pick(below, values as [unknown, ...unknown[]]);
      expect(judge(value, whole), JSON.stringify({ schema, value })).toBe(validate(value));
      ajv.removeSchema(whole);
    }
  }
});

test('allows nothing once the budget is used up', () => {
  const search = open(true, 5);
  expect(isValid(1, true, search)).toBe(false);
});

function judge(value: unknown, schema: unknown): boolean {
  return isValid(value, schema, open(schema, stepsMax));
}

function open(schema: unknown, steps: number) {
  const root = isRecord(schema) ? schema : {};
  const caches = { patterns: new Map(), listed: new Map() };
  return { root, facts: findFacts(''), isTerse: false, budget: { steps }, unused: [], ...caches };
}
