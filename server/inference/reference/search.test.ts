import { describe, expect, test } from 'vitest';
import { hostileSchemas } from '../../testing/inference/hostile-schemas.ts';
import { findFacts } from './facts.ts';
import { fillArguments } from './fill.ts';
import { stepsMax } from './search.ts';

/** The last step may exceed the budget by the length of a request, which is a mebibyte. */
const lastStepMax = 1_048_576;
const messages = [
  'hello world, call f with 1',
  'Send "a" to Bob in Paris, 12 words and 13 apples. '.repeat(80),
];

describe('a hostile schema takes a limited number of steps', () => {
  test.each(Object.entries(hostileSchemas))('%s', (_, parameters) => {
    for (const message of messages) {
      for (const isTerse of [false, true]) {
        const budget = { steps: stepsMax };
        const filled = fillArguments(parameters, findFacts(message), isTerse, budget);
        expect(stepsMax - budget.steps).toBeLessThanOrEqual(stepsMax + lastStepMax);
        if (budget.steps <= 0) expect(filled).toBeUndefined();
        expect(JSON.stringify(filled)?.length ?? 0).toBeLessThanOrEqual(2 * stepsMax);
      }
    }
  });
});

test('spends a small part of the budget on a schema of a hundred arguments', () => {
  const names = Array.from({ length: 100 }, (_, index) => `argument_${index}`);
  const kinds = [
    { type: 'string' },
    { type: 'integer', minimum: 3 },
    { enum: ['a', 'b'] },
    { $ref: '#/$defs/at' },
  ];
  const properties = Object.fromEntries(names.map((name, index) => [name, kinds[index % kinds.length]]));
  const $defs = { at: { type: 'string', format: 'date-time', description: 'When it begins.' } };
  const budget = { steps: stepsMax };
  const filled = fillArguments(
    { properties, required: names, $defs },
    findFacts(messages[0] ?? ''),
    false,
    budget,
  );
  expect(filled).toHaveProperty('argument_99');
  expect(stepsMax - budget.steps).toBeLessThan(stepsMax / 10);
});

test('omits any number of optional arguments', () => {
  const properties = Object.fromEntries(
    Array.from({ length: 10_000 }, (_, index) => [`p${index}`, { type: 'string' }]),
  );
  expect(fillArguments({ properties }, findFacts('hello'), false)).toEqual({});
});

test('finds the value of a long enumeration that the user names', () => {
  const parameters = {
    properties: { code: { enum: Array.from({ length: 500 }, (_, index) => `zone${index}`) } },
    required: ['code'],
  };
  expect(fillArguments(parameters, findFacts('switch to zone444 please'), false)).toEqual({
    code: 'zone444',
  });
});
