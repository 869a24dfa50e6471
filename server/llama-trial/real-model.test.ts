import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { ChatTask, Engine } from '../inference/engine.ts';
import { createUpstreamProbe } from '../inference/openai/upstream-probe.ts';
import { chat, collect, limits, text } from '../testing/inference/exchange.ts';
import { openRealEngine, startLlamaServer } from './real-model.ts';

// A language model of 135 million parameters. Both engines run the same file with llama.cpp: one in this process, the
// other through llama.cpp's server.

let server: Awaited<ReturnType<typeof startLlamaServer>>;
const engines = new Map<string, Engine>();
beforeAll(async () => {
  server = await startLlamaServer();
  engines.set('openai', server.engine);
  engines.set('llama', openRealEngine());
});
afterAll(async () => {
  for (const engine of engines.values()) await engine.close();
  await server?.stop();
});

const patient = (change: Parameters<typeof limits>[0] = {}) => limits({ timeoutMs: 60_000, ...change });
const ask = (content: string, change: Parameters<typeof chat>[0] = {}) =>
  chat({ messages: [{ role: 'user', content }], temperature: 0, maxTokens: 40, ...change });
const weather = {
  type: 'function',
  function: {
    name: 'get_weather',
    description: 'Returns the weather of a city.',
    parameters: {
      type: 'object',
      properties: { city: { type: 'string' }, unit: { enum: ['celsius', 'fahrenheit'] } },
      required: ['city'],
    },
  },
} as const;

describe.each(['llama', 'openai'])('a real model through the engine %s', (name) => {
  const engine = () => engines.get(name) as Engine;

  test('chats, with the tokens of the model', async () => {
    const inferred = await engine().infer(ask('What is the capital of Italy?'), patient());
    expect(inferred).toEqual({
      ok: true,
      value: {
        kind: 'chat',
        message: { role: 'assistant', content: 'The capital of Italy is Rome.' },
        finishReason: 'stop',
        usage: expect.objectContaining({ completion_tokens: expect.toBeOneOf([7, 8]) }),
      },
    });
  });

  test('continues a text, and ends it before a stop sequence and after max_tokens', async () => {
    const task = text({ prompt: 'One, two, three, four,', temperature: 0, maxTokens: 12 });
    expect(await engine().infer({ ...task, stop: [' seven'] }, patient())).toMatchObject({
      ok: true,
      value: { text: ' five, six,', finishReason: 'stop' },
    });
    expect(await engine().infer({ ...task, maxTokens: 2 }, patient())).toMatchObject({
      ok: true,
      value: { text: ' five,', finishReason: 'length', usage: { completion_tokens: 2 } },
    });
  });

  test('calls a tool with arguments of its schema', async () => {
    const task = ask('Write only a tool call: <tool_call> for the weather in Rome', {
      tools: [weather],
      toolChoice: { mode: 'required' },
      // A model this small repeats its call, and the server allows that even with `parallel_tool_calls` false.
      stop: ['</tool_call>'],
      maxTokens: 120,
    });
    const inferred = await engine().infer(task, patient());
    expect(inferred).toMatchObject({
      ok: true,
      value: { message: { content: null, tool_calls: [{ type: 'function' }] }, finishReason: 'tool_calls' },
    });
    if (!inferred.ok || inferred.value.kind !== 'chat') return;
    const called = inferred.value.message.tool_calls?.[0]?.function;
    expect(called?.name).toBe('get_weather');
    expect(JSON.parse(`${called?.arguments}`)).toMatchObject({ city: expect.stringContaining('Rome') });
  });

  test('reads the result of a tool', async () => {
    const call = {
      id: 'call_1',
      type: 'function',
      function: { name: 'get_weather', arguments: '{"city":"Rome"}' },
    };
    const messages = [
      { role: 'user', content: 'What is the weather in Rome?' },
      { role: 'assistant', content: null, tool_calls: [call] },
      { role: 'tool', tool_call_id: 'call_1', content: '{"sky":"cloudy","celsius":17}' },
    ] as ChatTask['messages'];
    const task = ask('', { messages, tools: [weather], toolChoice: { mode: 'none' } });
    expect(await engine().infer(task, patient())).toMatchObject({ ok: true, value: { kind: 'chat' } });
  });

  test('writes JSON of a schema', async () => {
    const schema = {
      type: 'object',
      properties: { city: { enum: ['Rome', 'Paris'] }, isCapital: { type: 'boolean' } },
      required: ['city', 'isCapital'],
    };
    const fields = {
      response_format: { type: 'json_schema', json_schema: { name: 'city', schema } },
    } as const;
    const inferred = await engine().infer(ask('What is the capital of Italy?', { fields }), patient());
    expect(inferred).toMatchObject({ ok: true, value: { finishReason: 'stop' } });
    if (!inferred.ok || inferred.value.kind !== 'chat') return;
    expect(JSON.parse(`${inferred.value.message.content}`)).toEqual({
      city: expect.toBeOneOf(['Rome', 'Paris']),
      isCapital: expect.any(Boolean),
    });
  });

  test('streams with usage, and the same text', async () => {
    const task = ask('What is the capital of Italy?');
    // The engine for upstreams shows the text of its second stream early.
    await collect(engine().stream(task, patient()));
    const { deltas, result } = await collect(engine().stream(task, patient()));
    expect(deltas.length).toBeGreaterThan(3);
    const shown = deltas.map((delta) => (delta.kind === 'text' ? delta.text : '')).join('');
    expect(shown).toBe('The capital of Italy is Rome.');
    expect(result).toEqual(await engine().infer(task, patient()));
  });

  test('stops for a caller that leaves', async () => {
    const controller = new AbortController();
    const stream = engine().stream(
      ask('Tell me a long story.', { maxTokens: 1_500 }),
      patient({ signal: controller.signal }),
    );
    expect(await stream.next()).toMatchObject({ value: { kind: 'text' } });
    controller.abort();
    expect(await collect(stream)).toMatchObject({ result: { ok: false, fault: { kind: 'cancelled' } } });
    if (name === 'openai') await expect.poll(() => server.countBusySlots()).toBe(0);
    const two = () => Promise.all([1, 2].map(() => engine().infer(ask('Hi', { maxTokens: 1 }), patient())));
    await expect.poll(two).toMatchObject([{ ok: true }, { ok: true }]);
  });

  test('ends a text at the deadline', async () => {
    const task = ask('Tell me a long story.', { maxTokens: 1_500 });
    const inferred = await engine().infer(task, patient({ timeoutMs: 300 }));
    expect(inferred).toMatchObject({ ok: false, fault: { kind: 'timeout' } });
  });
});

test('the probe finds llama.cpp’s server healthy', async () => {
  const probe = createUpstreamProbe({ baseUrl: server.baseUrl, apiKeyEnv: null, connectTimeoutMs: 2_000 });
  expect(await probe.issue()).toBeNull();
  await probe.close();
});
