import { describe, expect, test } from 'vitest';
import {
  apiKey,
  chat,
  chatCompletion,
  helloChunks,
  infer,
  inferFrom,
  limits,
  lookTool,
  options,
  secretPrompt,
  streamFrom,
  text,
  textCompletion,
  typed,
  usage,
} from '../../testing/inference/exchange.ts';
import { type Behaviour, json, openUpstream } from '../../testing/inference/fake-upstream.ts';
import type { ChatTask } from '../engine.ts';
import { createOpenAiEngine } from './openai-engine.ts';

test('sends a chat in the OpenAI interface, with the upstream’s model name and no other field', async () => {
  await using upstream = await openUpstream(json(chatCompletion({ content: 'Hello.' })));
  const inferred = await infer(upstream.baseUrl, chat({ stop: ['END'], temperature: 0.5 }));
  expect(inferred).toEqual({
    ok: true,
    value: {
      kind: 'chat',
      message: { role: 'assistant', content: 'Hello.' },
      finishReason: 'stop',
      usage: { prompt_tokens: 7, completion_tokens: 3, total_tokens: 10 },
    },
  });
  const [request] = upstream.seen;
  expect(request).toMatchObject({ method: 'POST', url: '/v1/chat/completions' });
  expect(request?.headers).toMatchObject({
    authorization: `Bearer ${apiKey}`,
    'content-type': 'application/json',
  });
  expect(request?.body).toEqual({
    model: 'inner-model',
    messages: [{ role: 'user', content: secretPrompt }],
    max_tokens: 20,
    temperature: 0.5,
    stop: ['END'],
  });
});

test('sends a text request to its own path, and no authorization without a key', async () => {
  await using upstream = await openUpstream(json(textCompletion('and so on')));
  const inferred = await infer(`${upstream.baseUrl}/`, text(), { apiKey: undefined });
  expect(inferred).toMatchObject({ ok: true, value: { kind: 'text', text: 'and so on' } });
  expect(upstream.seen[0]).toMatchObject({ url: '/v1/completions' });
  expect(upstream.seen[0]?.headers.authorization).toBeUndefined();
  expect(upstream.seen[0]?.body).toEqual({
    model: 'inner-model',
    prompt: secretPrompt,
    max_tokens: 20,
    temperature: 1,
  });
});

test('sends tools, a tool choice and a whole tool conversation, without unknown fields', async () => {
  await using upstream = await openUpstream(json(chatCompletion({ content: 'Sunny.' })));
  const call = { id: 'call_1', type: 'function', function: { name: 'look', arguments: '{}' } } as const;
  const messages = [
    { role: 'system', content: 'Be brief.', name: 'host', secret: 1 },
    { role: 'user', content: 'Look.' },
    { role: 'assistant', tool_calls: [{ ...call, index: 0 }] },
    { role: 'tool', content: 'sun', tool_call_id: 'call_1', extra: true },
  ] as unknown as ChatTask['messages'];
  const tools = [{ ...lookTool, strict: true }] as unknown as ChatTask['tools'];
  await infer(upstream.baseUrl, chat({ messages, tools, toolChoice: { mode: 'specific', name: 'look' } }));
  expect(upstream.seen[0]?.body).toMatchObject({
    tools: [lookTool],
    tool_choice: { type: 'function', function: { name: 'look' } },
    messages: [
      { role: 'system', content: 'Be brief.', name: 'host' },
      { role: 'user', content: 'Look.' },
      { role: 'assistant', content: null, tool_calls: [call] },
      { role: 'tool', content: 'sun', tool_call_id: 'call_1' },
    ],
  });
  expect(JSON.stringify(upstream.seen[0]?.body)).not.toMatch(/secret|extra|strict|index/);
});

/** A stream of two texts that does not end. */
const endlessHello: Behaviour = (response) => {
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  for (const chunk of helloChunks.slice(0, 3)) response.write(`data: ${JSON.stringify(chunk)}\n\n`);
};

async function inferWith(behaviour: Behaviour, limit: object) {
  await using upstream = await openUpstream(behaviour);
  return await infer(upstream.baseUrl, chat(), {}, limit);
}

test.each([
  [429, 'overloaded'],
  [503, 'overloaded'],
  [504, 'timeout'],
  [408, 'timeout'],
])('returns for status %i the fault %s', async (status, kind) => {
  const inferred = await inferFrom(json({ error: {} }, status), chat());
  expect(inferred).toMatchObject({ ok: false, fault: { kind } });
});

test.each([400, 405, 413, 415, 422])('blames the request for status %i (D-311)', async (status) => {
  const inferred = await inferFrom(json({ error: {} }, status), chat());
  expect(inferred).toMatchObject({ ok: false, fault: { kind: 'failed', isOfRequest: true } });
});

test.each([401, 403, 404, 500, 502])('blames the upstream for status %i (D-311)', async (status) => {
  const inferred = await inferFrom(json({ error: {} }, status), chat());
  expect(inferred).toMatchObject({ ok: false, fault: { kind: 'failed' } });
  expect(inferred).not.toHaveProperty('fault.isOfRequest');
});

test('blames the request for a completion that a client may provoke, and the upstream for any other (D-311)', async () => {
  const tooLong = json({ ...chatCompletion({ content: 'Hi.' }), usage: usage(21) });
  expect(await inferFrom(tooLong, chat())).toMatchObject({ ok: false, fault: { isOfRequest: true } });
  for (const broken of [json({}), json(textCompletion('x'))])
    expect(await inferFrom(broken, chat())).not.toHaveProperty('fault.isOfRequest');
});

describe('timeouts and cancellation', () => {
  test('returns a timeout when no response begins within beginTimeoutMs (D-311)', async () => {
    await using upstream = await openUpstream(() => {});
    let begun = 0;
    const limit = { beginTimeoutMs: 60, onBegun: () => begun++ };
    const detail = 'no response began within 60 ms';
    for (const inferred of [
      await infer(upstream.baseUrl, chat(), {}, limit),
      (await streamFrom(() => {}, chat(), {}, limit)).result,
    ])
      expect(inferred).toMatchObject({ ok: false, fault: { kind: 'timeout', detail } });
    expect(begun).toBe(0);
    await upstream.departure();
  });

  test('lets a response that has begun take longer than beginTimeoutMs, and reports its beginning once (D-311)', async () => {
    let begun = 0;
    const limit = { beginTimeoutMs: 60, timeoutMs: 300, onBegun: () => begun++ };
    const inferred = await inferWith((response) => typed(response).write('{"id":'), limit);
    expect(inferred).toMatchObject({ fault: { detail: 'no completion within 300 ms' } });
    expect(begun).toBe(1);
    begun = 0;
    const { result } = await streamFrom(endlessHello, chat(), {}, limit);
    expect(result).toMatchObject({ ok: true, value: { finishReason: 'length' } });
    expect(begun).toBe(1);
  });

  test('returns a timeout when no response begins in time, and closes the connection', async () => {
    await using upstream = await openUpstream(() => {});
    const inferred = await infer(upstream.baseUrl, chat(), {}, { timeoutMs: 300 });
    expect(inferred).toMatchObject({
      ok: false,
      fault: { kind: 'timeout', detail: 'no completion within 300 ms' },
    });
    await upstream.departure();
  });

  test('returns a timeout when the response does not end in time, and closes the connection', async () => {
    await using upstream = await openUpstream((response) => typed(response).write('{"id":'));
    const inferred = await infer(upstream.baseUrl, chat(), {}, { timeoutMs: 300 });
    expect(inferred).toMatchObject({ ok: false, fault: { kind: 'timeout' } });
    await upstream.departure();
  });

  test('returns a timeout when the headers do not arrive within headersTimeoutMs', async () => {
    await using upstream = await openUpstream(() => {});
    const inferred = await infer(upstream.baseUrl, chat(), { headersTimeoutMs: 60 });
    const detail = 'no response of the upstream within 60 ms';
    expect(inferred).toMatchObject({ ok: false, fault: { kind: 'timeout', detail } });
  });

  test('closes the upstream connection when the caller cancels, before and during the body', async () => {
    for (const behaviour of [() => {}, (response) => typed(response).write('{"id":')] satisfies Behaviour[]) {
      await using upstream = await openUpstream(behaviour);
      const controller = new AbortController();
      const inferring = infer(upstream.baseUrl, chat(), {}, { signal: controller.signal });
      await upstream.arrival();
      controller.abort();
      expect(await inferring).toMatchObject({ ok: false, fault: { kind: 'cancelled' } });
      await upstream.departure();
    }
  });

  test('sends nothing when the caller cancelled before', async () => {
    await using upstream = await openUpstream(json(textCompletion('x')));
    const inferred = await infer(upstream.baseUrl, text(), {}, { signal: AbortSignal.abort() });
    expect(inferred).toMatchObject({ ok: false, fault: { kind: 'cancelled' } });
    expect(upstream.seen).toHaveLength(0);
  });
});

test('rejects a request at once when all connections are busy, and accepts the next one later', async () => {
  const waiting: (() => void)[] = [];
  await using upstream = await openUpstream((response, request) => {
    waiting.push(() => json(textCompletion('late'))(response, request));
  });
  const engine = createOpenAiEngine(options(upstream.baseUrl, { connections: 1 }));
  const first = engine.infer(text(), limits());
  await upstream.arrival();
  expect(await engine.infer(text(), limits())).toMatchObject({ ok: false, fault: { kind: 'overloaded' } });
  for (const respond of waiting.splice(0)) respond();
  expect(await first).toMatchObject({ ok: true });
  const again = engine.infer(text(), limits());
  while (waiting.length === 0) await new Promise((resolve) => setImmediate(resolve));
  for (const respond of waiting.splice(0)) respond();
  expect(await again).toMatchObject({ ok: true });
  await engine.close();
});

test('sends no request twice', async () => {
  await using upstream = await openUpstream((response) => response.destroy());
  await infer(upstream.baseUrl, chat());
  expect(upstream.seen).toHaveLength(1);
});

test('leaves no listener on the signal of the caller', async () => {
  await using upstream = await openUpstream(json(textCompletion('x')));
  const engine = createOpenAiEngine(options(upstream.baseUrl));
  const added: string[] = [];
  const signal = new AbortController().signal;
  const { addEventListener, removeEventListener } = signal;
  signal.addEventListener = (...given: Parameters<typeof addEventListener>) => {
    added.push(given[0]);
    addEventListener.apply(signal, given);
  };
  signal.removeEventListener = (...given: Parameters<typeof removeEventListener>) => {
    added.pop();
    removeEventListener.apply(signal, given);
  };
  for (let call = 0; call < 3; call++) await engine.infer(text(), { timeoutMs: 5_000, signal });
  expect(added).toEqual([]);
  await engine.close();
});

test('rejects an invalid base URL without its value in the error', () => {
  expect(() => createOpenAiEngine(options('ftp://user:pass@host'))).toThrow(
    /^the base URL of an upstream must/,
  );
});

test('returns a fault when nothing listens', async () => {
  const upstream = await openUpstream(() => {});
  await upstream[Symbol.asyncDispose]();
  const inferred = await infer(upstream.baseUrl, chat());
  expect(inferred).toMatchObject({
    ok: false,
    fault: { kind: 'failed', detail: expect.stringMatching(/ECONNREFUSED/) },
  });
});
