/** For tests: schemas within all limits of a request that would take far too much work without a budget. */
export const hostileSchemas: Readonly<Record<string, unknown>> = {
  'a wide list of types, referred to often': sharing(4_000, { type: [...repeated(50_000, 'q'), 'null'] }),
  'a wide enumeration, referred to often': sharing(4_000, {
    enum: numbered(1_000, 'hello '),
    maxLength: 5_000,
  }),
  'an enumeration in which nothing fits, referred to often': sharing(4_000, {
    enum: numbered(50_000, 'hello '),
    maxLength: 3,
  }),
  'examples that do not fit, referred to often': sharing(4_000, {
    type: 'number',
    examples: repeated(50_000, 0.5),
    multipleOf: 1,
  }),
  'examples of text that do not fit, referred to often': sharing(2_000, {
    type: 'string',
    examples: repeated(50_000, 'a'),
    minLength: 4,
    maxLength: 3,
  }),
  'a constant of half a mebibyte, referred to often': sharing(4_000, { const: 'x'.repeat(500_000) }),
  'a constant object, referred to often': sharing(4_000, { const: { of: numbered(40_000, 'item ') } }),
  'a long name, referred to often': sharing(4_000, {
    properties: { ['x'.repeat(500_000)]: { type: 'boolean' } },
    required: ['x'.repeat(500_000)],
  }),
  'unknown keywords, referred to often': sharing(4_000, {
    type: 'boolean',
    ...Object.fromEntries(numbered(50_000, 'x-').map((name) => [name, 1])),
  }),
  'wide objects, referred to often': sharing(4_000, { type: 'object', required: numbered(50_000, 'p') }),
  'optional arguments with a long description': {
    properties: Object.fromEntries(numbered(2_000, 'p').map((name) => [name, { $ref: '#/d' }])),
    d: { type: 'string', description: 'hello World to from '.repeat(8_000) },
  },
  'a long pointer': sharing(4_000, { $ref: `#/d${'/a'.repeat(100_000)}` }),
  'a chain of references': chained(5_000),
  'a chain of references, used often': { ...sharing(4_000, { $ref: '#/l/0' }), ...chained(40) },
  'references that double': {
    ...sharing(100, { $ref: '#/l/0' }),
    l: Array.from({ length: 40 }, (_, at) => ({
      anyOf: [{ allOf: [{ $ref: `#/l/${at + 1}` }, false] }, { $ref: `#/l/${at + 1}` }],
    })),
  },
  'deep branches': requiring({ a: nested(2_000, (inner) => ({ anyOf: [inner] })) }),
  'branches in branches': requiring({
    a: nested(6, (inner) => ({ anyOf: repeated(8, { allOf: [inner, { type: 'null' }] }) })),
  }),
  'enumerations of long values at once': requiring({
    a: { allOf: Array.from({ length: 40 }, () => ({ enum: repeated(50, { of: 'x'.repeat(400) }) })) },
  }),
  'long texts': properties(4_000, { type: 'string', minLength: 4_096 }),
  'text of any length': properties(4_000, { type: 'string', minLength: 1e300 }),
  'long lists': properties(500, { type: 'array', minItems: 256, items: { type: 'number' } }),
  'lists of any length': properties(4_000, { type: 'array', minItems: 1e300, items: {} }),
  'lists in lists, no item twice': requiring({
    a: nested(20, (items) => ({ type: 'array', minItems: 2, uniqueItems: true, items })),
  }),
  'numbers of any size': properties(4_000, { type: 'integer', minimum: 1e308, multipleOf: 0.1 }),
  'multiples that never fit': properties(4_000, {
    type: 'integer',
    multipleOf: 0.3,
    minimum: 0.1,
    maximum: 0.5,
  }),
  'a pattern that repeats nothing': requiring({
    a: { type: 'string', pattern: '^((((){999}){999}){999}){999}x$' },
  }),
  'a pattern of wide classes': properties(200, {
    type: 'string',
    pattern: `^(?:[${'éa'.repeat(450)}]*)*$`,
    minLength: 4_000,
  }),
  'patterns that differ': requiring(
    Object.fromEntries(
      numbered(900, 'p').map((name) => [name, { type: 'string', pattern: `^${'ab?'.repeat(300)}${name}$` }]),
    ),
  ),
  'patterns of Unicode classes': requiring(
    Object.fromEntries(
      numbered(900, 'p').map((name) => {
        const pattern = numbered(40, '').map((mark) => `[^\\p{L}\\P{M}${mark}${name}]?`);
        return [name, { type: 'string', pattern: `^${pattern.join('')}${name}$` }];
      }),
    ),
  ),
  'a pattern that looks around everywhere': properties(200, {
    type: 'string',
    pattern: `^(?:(?=${'(?=.*'.repeat(40)}x${')'.repeat(40)})(?<!.*y)\\b.)*$`,
    minLength: 4_000,
  }),
  'a pattern that repeats a group of nothing': requiring({
    a: { type: 'string', pattern: '^(?:){99999999}(?:(?:)*)*x{99999999}$' },
  }),
  'patterns of many names': requiring({
    a: {
      patternProperties: Object.fromEntries(numbered(2_000, '(a*)*').map((source) => [source, {}])),
      ...properties(2_000, {}),
    },
  }),
  'conditions that double': {
    ...sharing(100, { $ref: '#/l/0' }),
    l: Array.from({ length: 60 }, (_, at) => {
      const next = { $ref: `#/l/${at + 1}` };
      return Object.fromEntries([
        ['if', next],
        ['then', next],
        ['else', { not: next }],
      ]);
    }),
  },
  'exclusive branches that double': {
    ...sharing(100, { $ref: '#/l/0' }),
    l: [...Array.from({ length: 40 }, (_, at) => ({ oneOf: repeated(2, { $ref: `#/l/${at + 1}` }) })), {}],
  },
  'a negation of itself': requiring({ a: { not: { $ref: '#/properties/a' } } }),
  'names that depend on many others, referred to often': sharing(2_000, {
    type: 'object',
    required: ['a'],
    dependentRequired: { a: repeated(18_000, 'a') },
  }),
  'values with names that depend on many others': requiring({
    a: {
      enum: repeated(900, { a: 1 }),
      dependentRequired: { a: [...repeated(18_000, 'a'), 'b'] },
    },
  }),
  'many patterns for a long name': requiring({
    a: {
      type: 'object',
      required: ['x'.repeat(8_000)],
      patternProperties: Object.fromEntries(numbered(10_000, 'p').map((source) => [source, {}])),
    },
  }),
  'classes of many Unicode properties': requiring(
    Object.fromEntries(
      numbered(900, 'p').map((name) => [
        name,
        { type: 'string', pattern: `^[${'\\p{L}\\P{M}\\p{Lu}'.repeat(50)}]${name}$` },
      ]),
    ),
  ),
  'long classes that differ': properties(200, {
    type: 'string',
    pattern: `^${numbered(60, '')
      .map((mark) => `[^é-ü漢a-f${mark}]?`)
      .join('')}$`,
    minLength: 4_000,
  }),
  'wide branches of themselves': {
    ...requiring({ a: { type: 'string', not: { $ref: '#/l' } } }),
    l: { anyOf: repeated(18_000, { $ref: '#/l' }) },
  },
  'wide exclusive branches of themselves': {
    ...requiring({ a: { type: 'string', not: { $ref: '#/l' } } }),
    l: { oneOf: repeated(18_000, { $ref: '#/l' }) },
  },
  'lists of types, judged often': properties(2_000, {
    type: 'integer',
    multipleOf: 0.3,
    allOf: repeated(40, { type: [...repeated(63, 'q'), 'integer'] }),
  }),
  'properties that require each other': requiring({
    a: {
      required: numbered(2_000, 'p'),
      dependentRequired: Object.fromEntries(numbered(2_000, 'p').map((name) => [name, numbered(20, 'p')])),
      dependentSchemas: Object.fromEntries(numbered(2_000, 'p').map((name) => [name, { $ref: '#' }])),
    },
  }),
};

/** An object with many required properties, which all refer to one schema. */
function sharing(count: number, shared: unknown) {
  return { ...properties(count, { $ref: '#/d' }), d: shared };
}

function properties(count: number, schema: unknown) {
  return requiring(Object.fromEntries(numbered(count, 'p').map((name) => [name, schema])));
}

function requiring(schemas: Readonly<Record<string, unknown>>) {
  return { type: 'object', properties: schemas, required: Object.keys(schemas) };
}

function chained(length: number) {
  const links = Array.from({ length }, (_, at) => ({ $ref: `#/l/${at + 1}` }));
  return { l: [...links, { type: 'null' }], ...(length > 1_000 ? requiring({ a: { $ref: '#/l/0' } }) : {}) };
}

function nested(depth: number, around: (inner: unknown) => unknown): unknown {
  let schema: unknown = { type: 'string' };
  for (let level = 0; level < depth; level++) schema = around(schema);
  return schema;
}

function repeated<T>(count: number, value: T): T[] {
  return Array.from({ length: count }, () => value);
}

function numbered(count: number, name: string): string[] {
  return Array.from({ length: count }, (_, index) => name + index.toString(36));
}
