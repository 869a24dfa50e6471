import { describe, expect, test } from 'vitest';
import {
  apiKey,
  chat,
  chatChunk,
  chatCompletion,
  collect,
  helloChunks,
  infer,
  limits,
  lookCall,
  lookCallParts,
  lookTool,
  options,
  secretPrompt,
  showEarly,
  streamFrom,
  text,
  textChunk,
  textCompletion,
  usageChunk,
} from '../../testing/inference/exchange.ts';
import { events, json, openUpstream } from '../../testing/inference/fake-upstream.ts';
import { createOpenAiEngine } from './openai-engine.ts';

const done = '[DONE]';
const withTools = chat({ tools: [lookTool], toolChoice: { mode: 'auto' } });

describe('a streamed completion (D-268)', () => {
  test('yields the text in the parts of the upstream, and returns what the unstreamed call returns', async () => {
    const streamed = await streamFrom(events(...helloChunks), chat());
    expect(streamed.deltas).toEqual([
      { kind: 'text', text: 'Hel' },
      { kind: 'text', text: 'lo.' },
    ]);
    await using upstream = await openUpstream(json(chatCompletion({ content: 'Hello.' })));
    expect(streamed.result).toEqual(await infer(upstream.baseUrl, chat()));
  });

  test('asks the upstream for a stream with usage, and for nothing else than an unstreamed call', async () => {
    await using upstream = await openUpstream(events(...helloChunks));
    const engine = createOpenAiEngine(options(upstream.baseUrl));
    await collect(engine.stream(chat(), limits()));
    await engine.close();
    expect(upstream.seen[0]?.headers.authorization).toBe(`Bearer ${apiKey}`);
    expect(upstream.seen[0]?.body).toEqual({
      model: 'inner-model',
      messages: [{ role: 'user', content: secretPrompt }],
      max_tokens: 20,
      temperature: 1,
      stream: true,
      stream_options: { include_usage: true },
    });
  });

  test('streams a text completion', async () => {
    const chunks = [textChunk('and '), textChunk('so on', 'length'), usageChunk(3), done];
    const streamed = await streamFrom(events(...chunks), text());
    expect(streamed.deltas.map((delta) => delta.kind === 'text' && delta.text)).toEqual(['and ', 'so on']);
    await using upstream = await openUpstream(
      json({
        ...textCompletion(''),
        choices: [{ index: 0, text: 'and so on', finish_reason: 'length' }],
      }),
    );
    expect(streamed.result).toEqual(await infer(upstream.baseUrl, text()));
  });

  test('yields a tool call when it is whole', async () => {
    const parts = lookCallParts.map((part) => chatChunk({ tool_calls: [part] }));
    const streamed = await streamFrom(
      events(
        chatChunk({ role: 'assistant', content: null }),
        ...parts,
        chatChunk({}, 'tool_calls'),
        usageChunk(3),
        done,
      ),
      withTools,
    );
    expect(streamed.deltas).toEqual([{ kind: 'call', call: lookCall }]);
    expect(streamed.result).toMatchObject({
      ok: true,
      value: {
        message: { role: 'assistant', content: null, tool_calls: [lookCall] },
        finishReason: 'tool_calls',
      },
    });
  });

  test('yields text before the calls that follow it', async () => {
    const chunks = [
      chatChunk({ content: 'I look.' }),
      chatChunk({ tool_calls: [lookCall] }, 'tool_calls'),
      usageChunk(3),
    ];
    const { deltas } = await streamFrom(events(...chunks, done), withTools);
    expect(deltas).toEqual([
      { kind: 'text', text: 'I look.' },
      { kind: 'call', call: lookCall },
    ]);
  });

  test('ends before a stop sequence that the upstream ignores', async () => {
    const chunks = [
      chatChunk({ content: 'one EN' }),
      chatChunk({ content: 'D two' }, 'length'),
      usageChunk(3),
      done,
    ];
    const { deltas, result } = await streamFrom(events(...chunks), chat({ stop: ['END'] }));
    expect(deltas).toEqual([{ kind: 'text', text: 'one ' }]);
    expect(result).toMatchObject({ value: { message: { content: 'one ' }, finishReason: 'stop' } });
  });

  test('is cut before text beyond max_tokens, and counted anew (D-272)', async () => {
    const words = Array.from({ length: 100 }, () => chatChunk({ content: ' word' }));
    const task = chat({ maxTokens: 10 });
    const { deltas, result } = await streamFrom(
      events(...words, chatChunk({}, 'stop'), usageChunk(100)),
      task,
    );
    // Two tokenizers may differ by the factor 2.
    const text = ' word'.repeat(20);
    expect(deltas.map((delta) => delta.kind === 'text' && delta.text).join('')).toBe(text);
    expect(result).toMatchObject({
      ok: true,
      value: { message: { content: text }, finishReason: 'length', usage: { completion_tokens: 10 } },
    });
  });

  test('is whole in a script that the tokenizer of the gateway splits more (D-272)', async () => {
    const georgian = 'საქართველო არის ქვეყანა სამხრეთ კავკასიაში, შავი ზღვის აღმოსავლეთ სანაპიროზე.';
    const parts = georgian.match(/.{1,4}/gu) ?? [];
    const chunks = parts.map((content) => chatChunk({ content }));
    const { result } = await streamFrom(
      events(...chunks, chatChunk({}, 'stop'), usageChunk(24), done),
      chat({ maxTokens: 24 }),
    );
    expect(result).toMatchObject({
      ok: true,
      value: { message: { content: georgian }, finishReason: 'stop', usage: { completion_tokens: 24 } },
    });
  });

  test('has at most the usage that was paid for, if its text was yielded (D-272)', async () => {
    const chunks = [...helloChunks.slice(0, 4), usageChunk(21), done];
    const { result } = await streamFrom(events(...chunks), chat());
    expect(result).toMatchObject({ ok: true, value: { usage: { prompt_tokens: 7, completion_tokens: 20 } } });
  });

  test.each<[string, readonly unknown[]]>([
    ['the end without [DONE]', helloChunks.slice(0, -1)],
    ['no usage', [...helloChunks.slice(0, 4), done]],
    [
      'usage in every chunk',
      helloChunks.map((each) => (typeof each === 'string' ? each : { ...usageChunk(3), ...each })),
    ],
    ['a first chunk without choices', [{ id: '', choices: [], prompt_filter_results: [] }, ...helloChunks]],
    [
      'null for absent fields',
      [chatChunk({ content: 'Hello.', tool_calls: null, role: null }), ...helloChunks.slice(3)],
    ],
    [
      'further fields',
      [{ ...chatChunk({ content: 'Hello.', reasoning: 'x' }), obfuscation: 'y' }, ...helloChunks.slice(3)],
    ],
  ])('accepts %s', async (_, chunks) => {
    const { deltas, result } = await streamFrom(events(...chunks), chat());
    expect(deltas.map((delta) => delta.kind === 'text' && delta.text).join('')).toBe('Hello.');
    expect(result).toMatchObject({ ok: true, value: { message: { role: 'assistant', content: 'Hello.' } } });
    expect(JSON.stringify(result)).not.toMatch(/reasoning|obfuscation/);
  });
});

describe('an upstream that cannot stream', () => {
  test('ignores `stream`, and its completion is one part', async () => {
    const { deltas, result } = await streamFrom(json(chatCompletion({ content: 'Hello.' })), chat());
    expect(deltas).toEqual([{ kind: 'text', text: 'Hello.' }]);
    expect(result).toMatchObject({ ok: true });
  });

  test('refuses `stream`, gets the request again without it, and is asked for a stream seldom after two', async () => {
    const completion = json(chatCompletion({ content: 'Hello.' }));
    await using upstream = await openUpstream((response, request) =>
      (request.body as { stream?: boolean }).stream
        ? json({ error: {} }, 400)(response, request)
        : completion(response, request),
    );
    const engine = createOpenAiEngine(options(upstream.baseUrl));
    for (let run = 0; run < 18; run++) {
      const { deltas } = await collect(engine.stream(chat(), limits()));
      expect(deltas).toEqual([{ kind: 'text', text: 'Hello.' }]);
    }
    await engine.close();
    const [asked, whole] = [[true, undefined], Array.from({ length: 15 })];
    expect(upstream.seen.map(({ body }) => (body as { stream?: boolean }).stream)).toEqual([
      ...[...asked, ...asked],
      ...whole,
      ...asked,
    ]);
  });

  test('refuses one stream, as a server that restarts may, and streams the next one', async () => {
    let requests = 0;
    const first = [json({ error: {} }, 404), json(chatCompletion({ content: 'Hello.' }))];
    await using upstream = await openUpstream((...exchange) =>
      (first[requests++] ?? events(...helloChunks))(...exchange),
    );
    const engine = createOpenAiEngine(options(upstream.baseUrl));
    await collect(engine.stream(chat(), limits()));
    await showEarly(engine);
    const { deltas } = await collect(engine.stream(chat(), limits()));
    await engine.close();
    expect(deltas).toHaveLength(2);
  });

  test('refuses every request, and is asked for a stream again', async () => {
    await using upstream = await openUpstream(json({ error: {} }, 400));
    const engine = createOpenAiEngine(options(upstream.baseUrl));
    for (let run = 0; run < 2; run++) {
      const { result } = await collect(engine.stream(chat(), limits()));
      expect(result).toMatchObject({ ok: false, fault: { kind: 'failed' } });
    }
    await engine.close();
    expect(upstream.seen.map(({ body }) => (body as { stream?: boolean }).stream ?? false)).toEqual([
      true,
      false,
      true,
      false,
    ]);
  });

  test.each([
    [429, 'overloaded'],
    [504, 'timeout'],
    [500, 'failed'],
  ])('gives status %i the fault %s, and sends no request twice', async (status, kind) => {
    await using upstream = await openUpstream(json({ error: {} }, status));
    const engine = createOpenAiEngine(options(upstream.baseUrl));
    const { result } = await collect(engine.stream(chat(), limits()));
    await engine.close();
    expect(result).toMatchObject({ ok: false, fault: { kind } });
    expect(upstream.seen).toHaveLength(1);
  });
});

test('one connection serves several streams', async () => {
  await using upstream = await openUpstream(events(...helloChunks));
  const engine = createOpenAiEngine(options(upstream.baseUrl, { connections: 1 }));
  for (let run = 0; run < 3; run++)
    expect((await collect(engine.stream(chat(), limits()))).result.ok).toBe(true);
  const ports = upstream.seen.map(({ port }) => port);
  expect(new Set(ports).size).toBe(1);
  await engine.close();
});
