import { expect, test } from 'vitest';
import { type Schema, variantsOf } from './schema.ts';

test.each<[string, Schema, readonly Schema[]]>([
  ['nothing to resolve', { type: 'string' }, [{ type: 'string' }]],
  [
    'the narrower lower bound',
    {
      allOf: [
        { minimum: 1, minLength: 5 },
        { minimum: 3, minLength: 2 },
      ],
    },
    [{ minimum: 3, minLength: 5 }],
  ],
  [
    'the narrower upper bound',
    {
      allOf: [
        { maximum: 1, maxItems: 5 },
        { maximum: 3, maxItems: 2 },
      ],
    },
    [{ maximum: 1, maxItems: 2 }],
  ],
  ['a multiple of both', { allOf: [{ multipleOf: 4 }, { multipleOf: 2 }] }, [{ multipleOf: 4 }]],
  [
    'a multiple of both that neither is',
    { allOf: [{ multipleOf: 3 }, { multipleOf: 2 }] },
    [{ multipleOf: 6 }],
  ],
  [
    'the types that both allow',
    { type: ['number', 'string'], allOf: [{ type: ['integer', 'null'] }] },
    [{ type: ['integer'] }],
  ],
  ['no type that both allow', { type: 'string', allOf: [{ type: 'number' }] }, []],
  ['the values that both allow', { enum: [1, 2, 3], allOf: [{ enum: [3, 4, 2] }] }, [{ enum: [2, 3] }]],
  ['no value that both allow', { enum: [1], allOf: [{ enum: [2] }] }, []],
  ['two constants', { const: 1, allOf: [{ const: 2 }] }, []],
  [
    'all that is required',
    { required: ['a'], allOf: [{ required: ['b', 'a'] }] },
    [{ required: ['a', 'b'] }],
  ],
  [
    'both sides of a property',
    { properties: { a: { minimum: 1 } }, allOf: [{ properties: { a: { maximum: 2 }, b: {} } }] },
    [{ properties: { a: { allOf: [{ minimum: 1 }, { maximum: 2 }] }, b: {} } }],
  ],
  [
    'what one side forbids',
    { additionalProperties: true, allOf: [{ additionalProperties: false }] },
    [{ additionalProperties: false }],
  ],
  [
    'every branch',
    { title: 't', anyOf: [{ type: 'string' }, { type: 'null' }] },
    [
      { title: 't', type: 'string' },
      { title: 't', type: 'null' },
    ],
  ],
  [
    'the branches that contradict nothing',
    { type: 'null', oneOf: [{ type: 'string' }, { type: 'null' }] },
    [{ type: ['null'] }],
  ],
  ['a reference beside other keywords', { $ref: '#/$defs/a~1b', minimum: 2 }, [{ minimum: 2, maximum: 9 }]],
  ['a reference into a list', { $ref: '#/$defs/list/0' }, [{ const: 0 }]],
])('%s', (_, schema, variants) => {
  const root = { $defs: { 'a/b': { maximum: 9 }, list: [{ const: 0 }] } };
  expect([...variantsOf(schema, root, { steps: 1_000 })]).toEqual(variants);
});

test('a budget that is used up ends the search', () => {
  const schema = { anyOf: Array.from({ length: 100 }, () => ({ type: 'string' })) };
  expect([...variantsOf(schema, {}, { steps: 1_000 })]).toHaveLength(100);
  expect([...variantsOf(schema, {}, { steps: 50 })].length).toBeLessThan(50);
});
