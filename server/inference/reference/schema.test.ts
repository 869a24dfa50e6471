import { expect, test } from 'vitest';
import { listVariants } from './schema.ts';
import type { Budget, Schema } from './search.ts';

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
    'a multiple of both that is neither of them',
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
  ['all required names', { required: ['a'], allOf: [{ required: ['b', 'a'] }] }, [{ required: ['a', 'b'] }]],
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
])('resolves to %s', (_, schema, variants) => {
  const root = { $defs: { 'a/b': { maximum: 9 }, list: [{ const: 0 }] } };
  expect([...listVariants(schema, knowing(root, { steps: 10_000 }))]).toEqual(variants);
});

test('ends the search when the budget is used up', () => {
  const schema = { anyOf: Array.from({ length: 60 }, () => ({ type: 'string' })) };
  expect([...listVariants(schema, knowing({}, { steps: 10_000 }))]).toHaveLength(60);
  expect([...listVariants(schema, knowing({}, { steps: 500 }))].length).toBeLessThan(50);
});

test('reads only the first of many branches', () => {
  const schema = { anyOf: Array.from({ length: 5_000 }, (_, index) => ({ const: index })) };
  expect([...listVariants(schema, knowing({}, { steps: 1_000_000 }))]).toHaveLength(64);
});

test('skips a branch that refers to itself, and takes another branch', () => {
  const root = { $defs: { a: { anyOf: [{ $ref: '#/$defs/a' }, { type: 'string' }] } } };
  const variants = [...listVariants({ $ref: '#/$defs/a' }, knowing(root, { steps: 10_000 }))];
  expect(variants.length).toBeGreaterThan(0);
  for (const variant of variants) expect(variant).toEqual({ type: 'string' });
});

function knowing(root: Schema, budget: Budget) {
  return { root, budget };
}
