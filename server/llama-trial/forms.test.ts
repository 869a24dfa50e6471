import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { describe, expect, test } from 'vitest';
import type { ChatTask, Engine } from '../inference/engine.ts';
import { chat, limits } from '../testing/inference/exchange.ts';
import { hostileSchemas } from '../testing/inference/hostile-schemas.ts';
import { randomParameters } from '../testing/inference/random-schema.ts';
import type { Follows } from '../testing/inference/tiny-model.ts';
import { seededBelow, testSeed } from '../testing/inference/values.ts';
import { withoutUnenforced } from './enforced-schema.ts';
import { complete, openTinyEngine } from './tiny-engine.ts';

const template = readFileSync(join(import.meta.dirname, 'tools.jinja'), 'utf8');
const ajv = new Ajv2020({ strict: false, validateFormats: false, ownProperties: true });
const seed = testSeed();
console.info(`forms.test.ts: TEST_SEED=${seed}`);
/** Four hundred schemas were tried when this test was written. */
const rounds = Number(process.env['TEST_ROUNDS'] ?? 60);

const weather = {
  type: 'function',
  function: {
    name: 'weather',
    parameters: { type: 'object', properties: { city: { enum: ['Rome'] } }, required: ['city'] },
  },
} as const;
const clock = { type: 'function', function: { name: 'clock' } } as const;
const tools = [clock, weather];

function format(schema?: unknown): Pick<ChatTask, 'fields'> {
  if (schema === undefined) return { fields: { response_format: { type: 'json_object' } } };
  const json_schema = { name: 'answer', schema: schema as Record<string, unknown> };
  return { fields: { response_format: { type: 'json_schema', json_schema } } };
}

describe('JSON of a schema', () => {
  test('satisfies random schemas, although the model draws any token', async () => {
    const { engine } = openTinyEngine({ follows: {} }, { contextTokens: 4_096 });
    const below = seededBelow(seed);
    let whole = 0;
    for (let round = 0; round < rounds; round++) {
      const schema = randomParameters(below);
      const fields = { ...format(schema).fields, seed: round };
      const where = `round ${round}: ${JSON.stringify(schema)}`;
      const { message, finishReason } = await complete(engine, { temperature: 1, fields, maxTokens: 3_000 });
      if (finishReason === 'length') continue;
      whole++;
      const validate = ajv.compile(withoutUnenforced(schema) as object);
      const value: unknown = JSON.parse(`${message.content}`);
      expect(validate(value), `${where}\n${message.content}\n${JSON.stringify(validate.errors)}`).toBe(true);
    }
    expect(whole).toBeGreaterThan(rounds / 2);
  });

  test('is an object without a schema', async () => {
    const { engine } = openTinyEngine({ follows: {} }, { contextTokens: 4_096 });
    const contents = [];
    for (let at = 0; at < 20; at++) {
      const fields = { ...format().fields, seed: at };
      const { message, finishReason } = await complete(engine, { temperature: 1, fields, maxTokens: 2_000 });
      if (finishReason === 'stop') contents.push(message.content);
    }
    expect(contents.length).toBeGreaterThan(0);
    for (const content of contents) expect(JSON.parse(`${content}`)).toEqual(expect.any(Object));
  });

  test('is cut by max_tokens and by a stop sequence like any text', async () => {
    const { engine } = openTinyEngine({ follows: {} });
    const task = format({ enum: ['one END two'] });
    expect(await complete(engine, { ...task, maxTokens: 4 })).toMatchObject({
      message: { content: '"one' },
      finishReason: 'length',
    });
    expect(await complete(engine, { ...task, stop: ['END'] })).toMatchObject({
      message: { content: '"one ' },
      finishReason: 'stop',
    });
  });

  test.each([
    ['letters', { type: 'string', minLength: 900 }],
    ['items', { type: 'array', minItems: 901, maxItems: 901, items: { const: 1 } }],
    ['places', { type: 'array', prefixItems: [{ const: 1 }], minItems: 901, items: { type: 'boolean' } }],
    ['members', { type: 'object', minProperties: 901, additionalProperties: { type: 'null' } }],
  ])('may have as many %s as a grammar can', async (_, schema) => {
    const { engine } = openTinyEngine({ follows: {} }, { contextTokens: 4_096 });
    expect(await complete(engine, { ...format(schema), maxTokens: 5 })).toMatchObject({
      finishReason: 'length',
    });
    const fault = { kind: 'failed', detail: 'the schema needs more than 900 repetitions' };
    const twice = format({ type: 'array', prefixItems: [schema, schema] });
    expect(await engine.infer(chat(twice), limits())).toEqual({ ok: false, fault });
  });

  test('is a fault for a schema without a grammar', async () => {
    const { engine } = openTinyEngine({ follows: {} });
    const fault = { kind: 'failed', detail: 'a reference of the schema leads to itself' };
    expect(await engine.infer(chat(format({ $ref: '#' })), limits())).toEqual({ ok: false, fault });
  });

  test('ends within its limits for hostile schemas', async () => {
    const { engine } = openTinyEngine({ follows: {} }, { contextTokens: 4_096 });
    await complete(engine);
    for (const [name, schema] of Object.entries(hostileSchemas)) {
      const began = performance.now();
      await engine.infer(chat({ ...format(schema), maxTokens: 200 }), limits({ timeoutMs: 2_000 }));
      expect(performance.now() - began, name).toBeLessThan(3_000);
    }
    await expect.poll(() => complete(engine, { maxTokens: 1 })).toMatchObject({ kind: 'chat' });
  });
});

describe('tool calls', () => {
  const openTools = (follows: Follows) => openTinyEngine({ follows, template }, { contextTokens: 2_048 });
  const called = (engine: Engine, change: Partial<ChatTask> = {}) =>
    complete(engine, { tools, toolChoice: { mode: 'auto' }, maxTokens: 400, ...change });
  const weatherInRome = [{ type: 'function', function: { name: 'weather', arguments: expect.any(String) } }];

  test('follow a text that the model writes before', async () => {
    const follows = { '\n': ['Wait'], Wait: ['.'], '.': ['<tool_call>'] };
    const { engine } = openTools(follows);
    const { message, finishReason, usage } = await called(engine, { tools: [weather] });
    expect(finishReason).toBe('tool_calls');
    expect(message).toMatchObject({ content: 'Wait.', tool_calls: weatherInRome });
    expect(JSON.parse(`${message.tool_calls?.[0]?.function.arguments}`)).toEqual({ city: 'Rome' });
    // <tool_call>⏎{"name": "weather", "arguments": {"city":"Rome"}: all but the first one are letters.
    expect(usage.completion_tokens).toBeGreaterThan(2 + 1 + 40);
  });

  test('do not happen when the model writes a text, or must not call', async () => {
    const text = { '\n': ['No'], No: [''] };
    const { engine } = openTools(text);
    expect(await called(engine)).toMatchObject({ message: { content: 'No' }, finishReason: 'stop' });
    const call = { '\n': ['<tool_call>'], '<tool_call>': [''] };
    const { engine: eager } = openTools(call);
    expect(await called(eager, { toolChoice: { mode: 'none' } })).toMatchObject({
      message: { content: '<tool_call>' },
      finishReason: 'stop',
    });
  });

  test.each(['jinja', 'the default format'])('are forced by tool_choice, with %s', async (name) => {
    const follows = { '\n': ['No'], No: [''] };
    const { engine } = openTinyEngine(
      { follows, ...(name === 'jinja' && { template }) },
      { contextTokens: 2_048 },
    );
    for (const toolChoice of [{ mode: 'required' }, { mode: 'specific', name: 'weather' }] as const) {
      const offered = toolChoice.mode === 'required' ? [weather] : tools;
      const { message, finishReason } = await called(engine, { toolChoice, tools: offered });
      expect(finishReason).toBe('tool_calls');
      expect(message).toMatchObject({ content: null, tool_calls: weatherInRome });
    }
  });

  test('have an empty object for a tool without parameters', async () => {
    const { engine } = openTools({});
    const { message } = await called(engine, { toolChoice: { mode: 'specific', name: 'clock' } });
    expect(message.tool_calls?.[0]?.function).toMatchObject({ name: 'clock' });
    expect(JSON.parse(`${message.tool_calls?.[0]?.function.arguments}`)).toEqual({});
  });

  test('that do not fit into max_tokens leave only the text', async () => {
    const follows = { '\n': ['Wait'], Wait: ['.'], '.': ['<tool_call>'] };
    const { engine } = openTools(follows);
    for (const maxTokens of [3, 10])
      expect(await called(engine, { maxTokens })).toMatchObject({
        message: { content: 'Wait.' },
        finishReason: 'length',
      });
    const forced = await called(engine, { maxTokens: 10, toolChoice: { mode: 'required' } });
    expect(forced).toMatchObject({ message: { content: '' }, finishReason: 'length' });
    expect(forced.message.tool_calls).toBeUndefined();
  });

  test('or JSON: both forms are possible with a format', async () => {
    const schema = { enum: ['yes'] };
    const { engine: caller } = openTools({ '\n': ['<tool_call>'] });
    const call = await called(caller, { ...format(schema), tools: [weather] });
    expect(call).toMatchObject({ message: { tool_calls: weatherInRome } });
    const { engine: writer } = openTools({ '\n': ['"'], '"': ['y', ''] });
    expect(await called(writer, format(schema))).toMatchObject({
      message: { content: '"yes"' },
      finishReason: 'stop',
    });
  });

  test('end within their limits for hostile schemas', async () => {
    const { engine } = openTinyEngine({ follows: {} }, { contextTokens: 4_096 });
    await complete(engine);
    for (const [name, parameters] of Object.entries(hostileSchemas)) {
      const began = performance.now();
      const given = parameters as Readonly<Record<string, never>>;
      const tool = { type: 'function', function: { name: 'f', parameters: given } } as const;
      const task = chat({ tools: [tool], toolChoice: { mode: 'required' }, maxTokens: 50 });
      await engine.infer(task, limits({ timeoutMs: 2_000 }));
      expect(performance.now() - began, name).toBeLessThan(3_000);
    }
    await expect.poll(() => complete(engine, { maxTokens: 1 })).toMatchObject({ kind: 'chat' });
  });
});

describe('thoughts', () => {
  const follows = { '<think>': ['Hm'], Hm: ['</think>'], '</think>': ['Yes'], Yes: [''] };
  const content = "{{- '<|im_start|>assistant\\n' }}\n";
  const reasoning =
    "{%- if message.reasoning_content %}{{- '<think>' + message.reasoning_content + '</think>' }}{%- endif %}\n";
  const thinking = template.replace(content, content + reasoning);
  const opening = (text: string) =>
    text.replace(/assistant\\n' \}\}(?=\n\{%- endif %\}\n$)/, "assistant\\n<think>' }}");

  test('are no text, and their tokens count', async () => {
    const { engine } = openTinyEngine({ follows: { ...follows, '\n': ['<think>'] }, template: thinking });
    expect(await complete(engine)).toMatchObject({
      message: { content: 'Yes' },
      usage: { completion_tokens: 4 },
    });
  });

  test.each([
    ['the start of each completion', opening(thinking)],
    [
      'the template',
      opening(
        template.replace(
          content,
          "{{- '<|im_start|>assistant\\n<think>' + (message.reasoning_content or '') + '</think>' }}\n",
        ),
      ),
    ],
  ])('may begin with %s, and JSON has none', async (_, opened) => {
    const { engine } = openTinyEngine({ follows, template: opened });
    const text = await complete(engine);
    expect(text).toMatchObject({ message: { content: 'Yes' }, usage: { completion_tokens: 3 } });
    const form = await complete(engine, format({ enum: [''] }));
    expect(form).toMatchObject({ message: { content: '""' }, finishReason: 'stop' });
  });
});
