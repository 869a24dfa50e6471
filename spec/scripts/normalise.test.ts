import portable from '@paid-inference/contract/openapi.3.0.json' with { type: 'json' };
import precise from '@paid-inference/contract/openapi.json' with { type: 'json' };
import { describe, expect, it } from 'vitest';
import { normalise } from './normalise.ts';

/**
 * Keywords of OpenAPI 3.1 and JSON Schema 2020-12 that a reader of 3.0 does not know or reads in another way.
 */
const only31 = [
  ...['$schema', '$id', '$defs', '$anchor', '$dynamicRef', '$dynamicAnchor', '$comment', '$vocabulary'],
  ...['const', 'if', 'then', 'else', 'dependentSchemas', 'dependentRequired', 'prefixItems', 'contains'],
  ...['minContains', 'maxContains', 'patternProperties', 'propertyNames', 'unevaluatedItems'],
  ...['unevaluatedProperties', 'contentEncoding', 'contentMediaType', 'contentSchema', 'examples'],
];

describe('the 3.0 document', () => {
  const nodes = schemaNodes(portable.components.schemas).concat(schemaNodes(portable.paths));

  it('has no keyword of 3.1 in any schema', () => {
    expect(nodes.length).toBeGreaterThan(100);
    const found = nodes.flatMap((node) => Object.keys(node).filter((keyword) => only31.includes(keyword)));
    expect(found).toEqual([]);
  });

  it('has one type for each schema, never null, and bounds in the form of 3.0', () => {
    for (const { type, exclusiveMinimum, exclusiveMaximum } of nodes) {
      expect(['undefined', 'string']).toContain(typeof type);
      expect(type).not.toBe('null');
      expect([exclusiveMinimum, exclusiveMaximum].every((flag) => flag === undefined || flag === true)).toBe(
        true,
      );
    }
  });

  it('has no document part of 3.1', () => {
    expect(portable.openapi).toBe('3.0.0');
    expect(Object.keys(portable).sort()).toEqual([
      'components',
      'info',
      'openapi',
      'paths',
      'servers',
      'tags',
    ]);
    expect(Object.keys(portable.components).sort()).toEqual(['parameters', 'schemas']);
    expect(portable.info).not.toHaveProperty('summary');
    expect(portable.info.license).toEqual({
      name: 'Apache-2.0',
      url: 'https://spdx.org/licenses/Apache-2.0.html',
    });
  });

  it('has the operations and schemas of the 3.1 document, and one schema for all errors (D-288)', () => {
    expect(Object.keys(portable.paths)).toEqual(Object.keys(precise.paths));
    // The rule on containers of plain values inlines these.
    const inlined = ['HeaderFields', 'Stop', 'StopSequences'];
    const schemas = Object.keys(precise.components.schemas).filter(
      (name) => !/(Body|Detail)$/.test(name) && !inlined.includes(name),
    );
    expect(Object.keys(portable.components.schemas)).toEqual([...schemas, 'ErrorBody', 'ErrorDetail'].sort());
  });
});

describe('normalise', () => {
  const createDocument = (schema: object) => ({
    info: { summary: 'Sells', license: { name: 'Apache-2.0', identifier: 'Apache-2.0' } },
    components: { schemas: { Open: schema } },
  });
  const open = (schema: object, version: '3.0.0' | '3.1.0') =>
    (normalise(createDocument(schema), version) as ReturnType<typeof createDocument>).components.schemas.Open;

  it('writes an open record as additionalProperties, which all tools understand', () => {
    const record = { type: 'object', unevaluatedProperties: {} };
    expect(open(record, '3.1.0')).toEqual({ type: 'object', additionalProperties: true });
    const texts = { type: 'object', unevaluatedProperties: { type: 'string' } };
    expect(open(texts, '3.1.0')).toEqual({ type: 'object', additionalProperties: { type: 'string' } });
  });

  it('keeps a closed record', () => {
    const closed = { type: 'object', additionalProperties: false };
    expect(open(closed, '3.1.0')).toEqual(closed);
  });

  it('removes conditions from 3.0 and keeps them in 3.1', () => {
    const conditional = { type: 'object', if: { required: ['a'] }, else: { required: ['b'] } };
    expect(open(conditional, '3.0.0')).toEqual({ type: 'object' });
    expect(open(conditional, '3.1.0')).toEqual(conditional);
  });

  it('does not change its argument', () => {
    const given = createDocument({ type: 'object', unevaluatedProperties: {} });
    const before = structuredClone(given);
    normalise(given, '3.0.0');
    expect(given).toEqual(before);
  });
});

type Schema = Readonly<Record<string, unknown>>;

/** All schemas below a node. A property with the name of a keyword is a schema, not a keyword. */
function schemaNodes(node: unknown, isSchema = false): Schema[] {
  if (typeof node !== 'object' || node === null) return [];
  const below = Object.entries(node).flatMap(([key, value]) => {
    if (key === 'example' || key === 'examples') return [];
    if (key === 'properties' || key === 'schemas')
      return Object.values(value as object).flatMap((each) => schemaNodes(each, true));
    return schemaNodes(
      value,
      ['schema', 'items', 'additionalProperties'].includes(key) || Array.isArray(node),
    );
  });
  return isSchema ? [node as Schema, ...below] : below;
}
