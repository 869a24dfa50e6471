import { expect, test } from 'vitest';
import {
  chat,
  chatCompletion,
  infer,
  inferFrom,
  lookTool,
  options,
  text,
  textCompletion,
} from '../../testing/inference/exchange.ts';
import { json, openUpstream } from '../../testing/inference/fake-upstream.ts';
import type { ChatTask } from '../engine.ts';
import { createOpenAiEngine } from './openai-engine.ts';

// The fields of OpenAI clients at an upstream (D-264, D-265).

const sampling = { top_p: 0.5, frequency_penalty: 1, presence_penalty: -1, seed: 7, user: 'u' };
const schema = { type: 'object', properties: { a: { const: null } } };
const described = { name: 'answer', description: 'An answer.', schema, strict: true };
const asJson: ChatTask['fields'] = { response_format: { type: 'json_object' } };
const calling = { tools: [lookTool], toolChoice: { mode: 'auto' } } as const;

test('forwards every field that it honours', async () => {
  await using upstream = await openUpstream(json(chatCompletion({ content: '{}' })));
  const fields: ChatTask['fields'] = {
    ...sampling,
    metadata: { run: '1' },
    parallel_tool_calls: false,
    response_format: { type: 'json_schema', json_schema: described },
  };
  expect(await infer(upstream.baseUrl, chat({ fields, ...calling }))).toMatchObject({ ok: true });
  expect(upstream.seen[0]?.body).toMatchObject(fields);
  const engine = createOpenAiEngine(options(upstream.baseUrl));
  expect([...(engine.honours ?? [])].sort()).toEqual(Object.keys(fields).sort());
  await engine.close();
});

test('forwards the fields of a text, and adds none', async () => {
  await using upstream = await openUpstream(json(textCompletion('on')));
  await infer(upstream.baseUrl, text({ fields: sampling }));
  expect(upstream.seen[0]?.body).toMatchObject(sampling);
  await infer(upstream.baseUrl, text());
  expect(Object.keys(Object(upstream.seen[1]?.body)).sort()).toEqual([
    'max_tokens',
    'model',
    'prompt',
    'temperature',
  ]);
});

test('forwards no unknown member of a response format (D-09)', async () => {
  await using upstream = await openUpstream(json(chatCompletion({ content: '{}' })));
  const unknown = { type: 'json_schema', json_schema: { ...described, more: 1 }, other: 2 } as const;
  await infer(upstream.baseUrl, chat({ fields: { response_format: unknown } }));
  const simple = { type: 'json_object', json_schema: described } as const;
  await infer(upstream.baseUrl, chat({ fields: { response_format: simple } }));
  expect(upstream.seen.map(({ body }) => Object(body).response_format)).toEqual([
    { type: 'json_schema', json_schema: described },
    { type: 'json_object' },
  ]);
});

test.each([
  ['prose', chatCompletion({ content: 'Here it is: {}' })],
  ['JSON that ends early', chatCompletion({ content: '{"a":' })],
  ['a fence around JSON', chatCompletion({ content: '```json\n{}\n```' })],
])('rejects %s as JSON, so that it costs nothing', async (_name, completion) => {
  const inferred = await inferFrom(json(completion), chat({ fields: asJson }));
  expect(inferred).toMatchObject({
    ok: false,
    fault: { kind: 'failed', detail: expect.stringMatching(/not JSON/) },
  });
  expect(await inferFrom(json(completion), chat())).toMatchObject({ ok: true });
});

test.each<[name: string, completion: object, change: Partial<ChatTask>]>([
  ['JSON', chatCompletion({ content: ' {"a":1}\n' }), {}],
  ['text that max_tokens cut', chatCompletion({ content: '{"a":' }, { finish_reason: 'length' }), {}],
  ['text that a filter cut', chatCompletion({ content: 'No.' }, { finish_reason: 'content_filter' }), {}],
  ['text that a stop sequence cut', chatCompletion({ content: '{"a":' }), { stop: ['1'] }],
  ['a call beside text', chatCompletion({ content: 'Wait.', tool_calls: calls(1) }), calling],
])('accepts %s when JSON was asked for', async (_name, completion, change) => {
  const inferred = await inferFrom(json(completion), chat({ ...change, fields: asJson }));
  expect(inferred).toMatchObject({ ok: true });
});

test('rejects two calls when parallel calls are off', async () => {
  const fields: ChatTask['fields'] = { parallel_tool_calls: false };
  const two = json(chatCompletion({ content: null, tool_calls: calls(2) }));
  const one = json(chatCompletion({ content: null, tool_calls: calls(1) }));
  expect(await inferFrom(two, chat({ ...calling, fields }))).toMatchObject({
    ok: false,
    fault: { detail: expect.stringMatching(/more than one tool call/) },
  });
  expect(await inferFrom(one, chat({ ...calling, fields }))).toMatchObject({ ok: true });
  expect(await inferFrom(two, chat(calling))).toMatchObject({ ok: true });
});

function calls(count: number) {
  return Array.from({ length: count }, (_, at) => ({
    id: `c${at}`,
    type: 'function',
    function: { name: 'look', arguments: '{}' },
  }));
}
