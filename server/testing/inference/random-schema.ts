import { type Below, pick } from './values.ts';

type Schema = Record<string, unknown>;

/** For tests: a random schema of tool parameters that `fillArguments` supports and some value satisfies. */
export function randomParameters(below: Below): Schema {
  const $defs = { leaf: scalar(below), pair: object(below, 2), node: treeNode };
  return { ...object(below, 0, { leaf: '#/$defs/leaf', pair: '#/$defs/pair', node: '#/$defs/node' }), $defs };
}

/** For tests: a random message of user words, with or without values for arguments. */
export function randomMessage(below: Below): string {
  return Array.from({ length: below(14) }, () => pick(below, phrases)).join(' ');
}

const phrases: readonly [string, ...string[]] = [
  'please',
  'weather in Paris',
  'from Rome',
  'to New York',
  '"quoted words"',
  '“typographic”',
  '5 results',
  '-12.5',
  '7',
  '1000000',
  '2025-02-28',
  '2025-02-28T10:30:00Z',
  'bob@example.org',
  'https://example.org/a?b=c',
  'amount 3',
  'without deep',
  'deep',
  'red',
  'green and blue',
  'city of Oslo',
  '漢字',
  '😀',
  "don't",
  'name: Ada',
  '3 * (4 + 5)',
  'unit celsius',
  'tomorrow',
  '\n\n',
  '<|endoftext|>',
  '\\',
  '{"a":1}',
];
const names: readonly [string, ...string[]] = [
  'location',
  'city',
  'query',
  'amount',
  'max_results',
  'deep',
  'colour',
  'name',
  'to',
  'from',
  'date',
  'unit',
  'userEmail',
  'url',
  'expression',
  'tags',
  'x',
  'weird name!',
  'constructor',
  'größe',
  '$ref',
];
const patterns: readonly [string, ...string[]] = [
  '^[A-Z]{3}$',
  '^\\d{4}-\\d{2}$',
  '^(foo|bar)-[a-z]+$',
  'colou?r',
  '^#[0-9a-f]{6}$',
  '^[^@\\s]+@[^@\\s]+$',
  '^\\+?[1-9]\\d{1,14}$',
  '[aeiou]',
  '^(?:a|b){2,4}c*$',
  '^[\\w.-]{2,}$',
  '^\\S+ \\S+$',
];

type References = Readonly<Record<string, string>>;

function anySchema(below: Below, depth: number, references: References): Schema {
  const kind = below(12);
  if (depth >= 3 || kind < 5) return scalar(below);
  if (kind < 7) return object(below, depth, references);
  if (kind < 9) return list(below, depth, references);
  if (kind === 9) return { $ref: pick(below, ['#/$defs/leaf', '#/$defs/pair', '#/$defs/node']) };
  if (kind === 10)
    return { anyOf: [anySchema(below, depth + 1, references), { type: 'null' }], description: 'maybe' };
  return branches(below);
}

/** Branches that exclude each other, so that a value that satisfies one satisfies `oneOf`. */
function branches(below: Below): Schema {
  const branch = (kind: string) => ({
    type: 'object',
    properties: { kind: { const: kind }, value: scalar(below) },
    required: ['kind', 'value'],
    additionalProperties: false,
  });
  return { oneOf: [branch('first'), branch('second')] };
}

function object(below: Below, depth: number, references: References = {}): Schema {
  const chosen = [...new Set(Array.from({ length: below(5) }, () => pick(below, names)))];
  const properties = Object.fromEntries(
    chosen.map((name) => [name, anySchema(below, depth + 1, references)]),
  );
  const required = chosen.filter(() => below(3) > 0);
  const own = { type: 'object', properties, required };
  switch (below(6)) {
    case 0:
      return { ...own, additionalProperties: false };
    case 1:
      return { allOf: [own, { type: 'object', required: ['extra'], properties: { extra: scalar(below) } }] };
    case 2:
      return { ...own, required: [...required, 'unlisted'], additionalProperties: scalar(below) };
    case 3:
      return { ...own, minProperties: chosen.length, additionalProperties: false };
    case 4: {
      const { type: _, ...untyped } = own;
      return untyped;
    }
    default:
      return own;
  }
}

function list(below: Below, depth: number, references: References): Schema {
  const minItems = below(4);
  const bounds = { minItems, ...(below(2) === 0 && { maxItems: minItems + below(3) }) };
  if (below(3) === 0) {
    const numbers =
      below(2) === 0 ? { type: 'integer', minimum: below(5) } : { type: 'string', minLength: below(9) };
    return { type: 'array', items: numbers, uniqueItems: true, ...bounds };
  }
  if (below(4) === 0)
    return { type: 'array', prefixItems: [scalar(below), scalar(below)], items: scalar(below), ...bounds };
  return { type: 'array', items: anySchema(below, depth + 1, references), ...bounds };
}

const treeNode = {
  type: 'object',
  properties: {
    label: { type: 'string', maxLength: 5 },
    children: { type: 'array', items: { $ref: '#/$defs/node' } },
    next: { anyOf: [{ $ref: '#/$defs/node' }, { type: 'null' }] },
  },
  required: ['label', 'children'],
  additionalProperties: false,
};

function scalar(below: Below): Schema {
  const described = below(2) === 0 ? { description: `The ${pick(below, names)} to use` } : {};
  return { ...bareScalar(below), ...described };
}

function bareScalar(below: Below): Schema {
  switch (below(12)) {
    case 0:
      return { type: 'boolean' };
    case 1:
      return { enum: ['red', 'green', 'dark blue', 7, null] };
    case 2:
      return { const: pick(below, ['fixed', 'also fixed']) };
    case 3:
      return { type: ['null', 'integer'], minimum: below(10) };
    case 4:
      return integer(below);
    case 5:
      return fraction(below);
    case 6:
      return { type: 'string', pattern: pick(below, patterns) };
    case 7:
      return { type: 'string', minLength: below(30), maxLength: 30 + below(30) };
    case 8:
      return { type: 'string', maxLength: below(4) };
    case 9:
      return { type: 'string', enum: ['celsius', 'fahrenheit', 'kelvin'], default: 'kelvin' };
    case 10:
      return { type: 'string', default: 'by default', examples: ['an example'], minLength: 3 };
    default:
      return { type: 'string' };
  }
}

function integer(below: Below): Schema {
  const minimum = below(200) - 100;
  const step = 1 + below(9);
  return pick<Schema>(below, [
    { type: 'integer', minimum, maximum: minimum + below(20) },
    { type: 'integer', exclusiveMinimum: minimum, exclusiveMaximum: minimum + 2 + below(20) },
    { type: 'integer', multipleOf: step, minimum, maximum: minimum + step },
    { type: 'integer', maximum: minimum },
    {
      allOf: [
        { type: 'number', minimum },
        { type: 'integer', maximum: minimum + 3 },
      ],
    },
  ]);
}

function fraction(below: Below): Schema {
  const minimum = (below(400) - 200) / 8;
  return pick<Schema>(below, [
    { type: 'number', minimum, maximum: minimum },
    { type: 'number', exclusiveMinimum: minimum, exclusiveMaximum: minimum + 1 / 64 },
    { type: 'number', multipleOf: 0.1, minimum, maximum: minimum + 5 },
    { type: 'number', multipleOf: 2.5 },
    { minimum, maximum: minimum + 1 },
    { type: 'number', default: minimum, minimum },
  ]);
}
