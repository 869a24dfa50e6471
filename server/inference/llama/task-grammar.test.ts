import { describe, expect, test } from 'vitest';
import { cpuMs } from '../../testing/cpu-time.ts';
import { chat, lookTool } from '../../testing/inference/exchange.ts';
import { hostileSchemas } from '../../testing/inference/hostile-schemas.ts';
import { type Form, listForms, readCall, writeTaskGrammar } from './task-grammar.ts';

// `npm run test:llama` lets llama.cpp write values with these grammars, and checks them against the schemas.

const json = (schema: unknown): readonly Form[] => [{ kind: 'json', schema }];
const withDefinitions = ($defs: Record<string, unknown>) => ({ $defs, $ref: '#/$defs/a' });
const between = '", "arguments": ';

describe('a schema without a grammar is a fault that names the rule, and no part of the schema', () => {
  const nested = (levels: number): unknown => (levels === 0 ? {} : { items: nested(levels - 1) });
  test.each<[string, unknown, string]>([
    ['false', false, 'no value satisfies the schema'],
    ['an empty enum', { enum: [] }, 'no value satisfies the schema'],
    ['a least number above the most', { type: 'string', minLength: 3, maxLength: 2 }, 'no value'],
    ['an unknown type', { type: 'secret' }, 'the schema has an unknown type'],
    ['a reference to another file', { $ref: 'https://secret' }, 'leads out of the schema'],
    ['a reference to nothing', { $ref: '#/$defs/secret' }, 'leads nowhere'],
    ['a reference to itself', { $ref: '#' }, 'leads to itself'],
    [
      'references in a circle',
      withDefinitions({ a: { anyOf: [{ type: 'null' }, { $ref: '#/$defs/b' }] }, b: { $ref: '#/$defs/a' } }),
      'leads to itself',
    ],
    [
      'a circle that was complete before it was one',
      withDefinitions({
        a: { oneOf: [{ items: { $ref: '#/$defs/b' } }, { $ref: '#/$defs/b' }] },
        b: { $ref: '#/$defs/a' },
      }),
      'leads to itself',
    ],
    [
      'a circle of allOf',
      withDefinitions({ a: { allOf: [{ $ref: '#/$defs/a' }] } }),
      'deeper than 48 levels',
    ],
    ['too many levels', nested(60), 'deeper than 48 levels'],
    ['too many repetitions', { type: 'array', minItems: 1e9 }, 'more than 900 repetitions'],
    [
      'too many words',
      { enum: Array.from({ length: 9_000 }, (_, at) => `secret ${at}`) },
      'longer than 65536',
    ],
  ])('%s', (_, schema, detail) => {
    const written = writeTaskGrammar(json(schema), between);
    expect(written).toMatchObject({ ok: false, fault: expect.stringContaining(detail) });
    expect(JSON.stringify(written)).not.toContain('secret');
  });
});

test('accepts a schema that contains itself behind a character', () => {
  const tree = { type: 'object', properties: { left: { anyOf: [{ $ref: '#' }, { type: 'null' }] } } };
  expect(writeTaskGrammar(json(tree), between)).toMatchObject({ ok: true });
});

test('takes linear time and space for references that meet again and again', () => {
  const $defs = Object.fromEntries(
    Array.from({ length: 20 }, (_, at) => {
      const next = { $ref: `#/$defs/d${at + 1}` };
      return [at === 0 ? 'a' : `d${at}`, { anyOf: [next, { type: 'array', items: next }] }];
    }),
  );
  const written = writeTaskGrammar(json(withDefinitions({ ...$defs, d20: true })), between);
  expect(written).toMatchObject({ ok: true });
  expect(JSON.stringify(written).length).toBeLessThan(10_000);
});

test.each(Object.entries(hostileSchemas))('takes a short time for %s', (_, schema) => {
  const began = cpuMs();
  writeTaskGrammar(json(schema), between);
  expect(cpuMs() - began).toBeLessThan(500);
});

describe('the forms of a task', () => {
  const tools = [lookTool];
  const look = { kind: 'call', start: '[', tools };
  const format = { response_format: { type: 'json_object' } } as const;
  test.each([
    ['no tools', chat(), []],
    ['tools that the model may call', chat({ tools, toolChoice: { mode: 'auto' } }), []],
    ['a tool that it must call', chat({ tools, toolChoice: { mode: 'required' } }), [look]],
    [
      'a certain tool',
      chat({
        tools: [...tools, { ...lookTool, function: { name: 'x' } }],
        toolChoice: { mode: 'specific', name: 'look' },
      }),
      [look],
    ],
    ['JSON', chat({ fields: format }), [{ kind: 'json', schema: { type: 'object' } }]],
    [
      'JSON or a call',
      chat({ fields: format, tools, toolChoice: { mode: 'auto' } }),
      [{ kind: 'json' }, look],
    ],
    ['text as a format', chat({ fields: { response_format: { type: 'text' } } }), []],
  ])('%s', (_, task, forms) => {
    expect(listForms(task, '[')).toMatchObject(forms);
    expect(listForms(task, '[')).toHaveLength(forms.length);
  });
});

test('reads a call, and nothing from half a call or another tool', () => {
  expect(readCall(`look${between}{"at": 7}`, [lookTool], between)).toMatchObject({
    id: expect.stringMatching(/^call_/),
    function: { name: 'look', arguments: '{"at": 7}' },
  });
  expect(readCall(`look${between}{"at"`, [lookTool], between)).toBeNull();
  expect(readCall(`hear${between}{}`, [lookTool], between)).toBeNull();
});
