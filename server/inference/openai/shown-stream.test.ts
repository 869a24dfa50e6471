import { describe, expect, test } from 'vitest';
import {
  afterHello,
  chat,
  chatChunk,
  collect,
  helloChunks,
  limits,
  lookCall,
  lookTool,
  options,
  showEarly,
  streamFrom,
  text,
  textChunk,
  usage,
  usageChunk,
} from '../../testing/inference/exchange.ts';
import { type Behaviour, events, openUpstream } from '../../testing/inference/fake-upstream.ts';
import { createOpenAiEngine } from './openai-engine.ts';

// D-272: a text that was yielded is paid for.

const done = '[DONE]';
const hello = helloChunks.slice(0, 3);
const call = { tool_calls: [lookCall] };

/** A stream that does not end by itself. */
function endless(...chunks: readonly unknown[]): Behaviour {
  return (response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    for (const chunk of chunks) response.write(`data: ${JSON.stringify(chunk)}\n\n`);
  };
}

function breaking(...chunks: readonly unknown[]): Behaviour {
  return (response, request) => {
    endless(...chunks)(response, request);
    response.write(': the end\n\n', () => setImmediate(() => response.destroy()));
  };
}

function endsWith(content: string, finishReason: string) {
  return { ok: true, value: { message: { role: 'assistant', content }, finishReason } };
}

describe('at the deadline', () => {
  const late = { timeoutMs: 300 };

  test('a text ends where it was yielded, with `length` and usage of its own', async () => {
    const { deltas, result } = await streamFrom(endless(...hello), chat(), {}, late);
    expect(deltas).toHaveLength(2);
    expect(result).toMatchObject(endsWith('Hello.', 'length'));
    expect(result).toMatchObject({ value: { usage: { completion_tokens: 2 } } });
    const prompted = await streamFrom(endless(textChunk('and so')), text(), {}, late);
    expect(prompted.result).toMatchObject({ ok: true, value: { text: 'and so', finishReason: 'length' } });
  });

  test('a text ends before the part that may begin a stop sequence', async () => {
    const task = chat({ stop: ['lo. Bye'] });
    const { deltas, result } = await streamFrom(endless(...hello), task, {}, late);
    expect(deltas.map((delta) => delta.kind === 'text' && delta.text)).toEqual(['He', 'l']);
    expect(result).toMatchObject(endsWith('Hel', 'length'));
  });

  test('a text that has its finish_reason keeps it', async () => {
    const { result } = await streamFrom(endless(...hello, chatChunk({}, 'stop')), chat(), {}, late);
    expect(result).toMatchObject(endsWith('Hello.', 'stop'));
  });

  test('a completion without text, or with a call, is a timeout', async () => {
    const tools = chat({ tools: [lookTool], toolChoice: { mode: 'auto' } });
    for (const stream of [
      streamFrom(endless(helloChunks[0]), chat(), {}, late),
      streamFrom(endless(...hello, chatChunk(call)), tools, {}, late),
    ])
      expect(await stream).toMatchObject({ deltas: [], result: { ok: false, fault: { kind: 'timeout' } } });
  });

  test('a caller that cancels gets no completion', async () => {
    await using upstream = await openUpstream(afterHello(endless(...hello, chatChunk({}, 'stop'))));
    const engine = createOpenAiEngine(options(upstream.baseUrl));
    await showEarly(engine);
    const controller = new AbortController();
    const stream = engine.stream(chat(), limits({ signal: controller.signal }));
    await stream.next();
    controller.abort();
    const { result } = await collect(stream);
    expect(result).toMatchObject({ ok: false, fault: { kind: 'cancelled' } });
    await engine.close();
  });
});

describe('a fault of anything but the text leaves the text', () => {
  test.each<[string, readonly unknown[], string]>([
    ['a call that was not offered', [chatChunk(call, 'tool_calls'), usageChunk(3), done], 'stop'],
    ['calls of another form', [chatChunk({ tool_calls: { look: {} } }, 'tool_calls'), done], 'stop'],
    ['a finish_reason of another type', [chatChunk({}, 7 as never), usageChunk(3), done], 'stop'],
    ['a call, and a filter', [chatChunk(call, 'content_filter'), usageChunk(3), done], 'content_filter'],
    ['usage of another form', [chatChunk({}, 'length'), { ...usageChunk(3), usage: { total: 3 } }], 'length'],
    ['negative usage', [chatChunk({}, 'stop'), { ...usageChunk(3), usage: usage(-1) }, done], 'stop'],
    ['an error behind the finish_reason', [chatChunk({}, 'stop'), { error: { message: 'x' } }], 'stop'],
    ['an event behind the finish_reason that is not JSON', [chatChunk({}, 'length'), 'x', done], 'length'],
  ])('%s', async (_, chunks, finishReason) => {
    const { deltas, result } = await streamFrom(events(...hello, ...chunks), chat());
    expect(deltas.map((delta) => delta.kind === 'text' && delta.text)).toEqual(['Hel', 'lo.']);
    expect(result).toMatchObject(endsWith('Hello.', finishReason));
    expect(JSON.stringify(result)).not.toContain('tool_calls');
  });

  test('a connection that breaks behind the finish_reason', async () => {
    const { result } = await streamFrom(breaking(...hello, chatChunk({}, 'stop')), chat());
    expect(result).toMatchObject(endsWith('Hello.', 'stop'));
  });

  test.each<[string, readonly unknown[]]>([
    ['no finish_reason', [done]],
    ['an error', [{ error: { message: 'x' } }]],
    ['a text of another type', [chatChunk({ content: [] }), chatChunk({}, 'stop')]],
  ])('but %s is a fault', async (_, chunks) => {
    const { deltas, result } = await streamFrom(events(...hello, ...chunks), chat());
    expect(deltas).toHaveLength(2);
    expect(result).toMatchObject({ ok: false, fault: { kind: 'failed' } });
  });
});

describe('the text of a stream waits for the check of its completion', () => {
  const valid = events(...helloChunks);
  const invalid = events(...hello, chatChunk(call, 'tool_calls'), usageChunk(3), done);

  /** Streams from one engine whose upstream behaves in another way each time. Returns the number of parts. */
  async function countParts(...behaviours: readonly Behaviour[]): Promise<readonly (number | 'fault')[]> {
    let behaviour = valid;
    await using upstream = await openUpstream((response, request) => behaviour(response, request));
    const engine = createOpenAiEngine(options(upstream.baseUrl));
    const counts: (number | 'fault')[] = [];
    for (behaviour of behaviours) {
      const { deltas, result } = await collect(engine.stream(chat(), limits()));
      counts.push(result.ok || deltas.length > 0 ? deltas.length : 'fault');
    }
    await engine.close();
    return counts;
  }

  test('until one was valid', async () => {
    expect(await countParts(invalid, invalid, valid, valid)).toEqual(['fault', 'fault', 1, 2]);
  });

  test('again after an invalid one, or one without an end', async () => {
    expect(await countParts(valid, invalid, invalid, valid, valid)).toEqual([1, 2, 'fault', 1, 2]);
    expect(await countParts(valid, events(...hello, done), valid, valid)).toEqual([1, 2, 1, 2]);
  });
});

describe('the text of a stream that is shown early is held', () => {
  const wrong = events(...hello, done);

  /** Streams once for each payer, each with its behaviour. Returns the number of parts. */
  async function countPartsFor(...streams: readonly (readonly [string, Behaviour])[]) {
    let behaviour = events(...helloChunks);
    await using upstream = await openUpstream((response, request) => behaviour(response, request));
    const engine = createOpenAiEngine(options(upstream.baseUrl));
    await showEarly(engine);
    const counts: number[] = [];
    for (const [client, conduct] of streams) {
      behaviour = conduct;
      counts.push((await collect(engine.stream(chat(), limits({ client })))).deltas.length);
    }
    await engine.close();
    return counts;
  }

  test('only for the payer of a wrong stream, until a valid one', async () => {
    const valid = events(...helloChunks);
    expect(await countPartsFor(['a', wrong], ['a', wrong], ['b', valid], ['a', valid])).toEqual([2, 0, 2, 2]);
  });

  test('for all payers after the wrong streams of more than ten', async () => {
    const payers = Array.from({ length: 11 }, (_, at): readonly [string, Behaviour] => [`${at}`, wrong]);
    const [ten, valid] = [payers.slice(1), ['new', events(...helloChunks)] as const];
    expect((await countPartsFor(...ten, valid)).at(-1)).toBe(2);
    expect((await countPartsFor(...payers, valid)).at(-1)).toBe(1);
  });
});

describe('a stream is shown early although the stream before', () => {
  const object = { type: 'object', properties: {} };
  const asObject = { type: 'json_schema', json_schema: { name: 'n', schema: object } } as const;

  test.each([
    ['had no text', events(chatChunk({ content: null }), chatChunk({}, 'stop'), usageChunk(0), done), chat()],
    ['had an error before its text', events({ error: { message: 'No.' } }), chat()],
    [
      'had no JSON, which only its payer asked for',
      events(...helloChunks),
      chat({ fields: { response_format: asObject } }),
    ],
  ])('%s', async (_, behaviour, task) => {
    const conducts = [events(...helloChunks), behaviour];
    let requests = 0;
    await using upstream = await openUpstream((...exchange) =>
      (conducts[requests++] ?? events(...helloChunks))(...exchange),
    );
    const engine = createOpenAiEngine(options(upstream.baseUrl));
    await showEarly(engine);
    const { result } = await collect(engine.stream(task, limits()));
    expect(result).toMatchObject({ ok: false });
    const { deltas } = await collect(engine.stream(chat(), limits()));
    await engine.close();
    expect(deltas).toHaveLength(2);
  });
});
