import { describe, expect, test } from 'vitest';
import {
  afterHello,
  chat,
  chatChunk,
  collect,
  helloChunks,
  limits,
  lookCall,
  lookCallParts,
  lookTool,
  options,
  pour,
  secretCompletion,
  showEarly,
  streamFrom,
  usageChunk,
} from '../../testing/inference/exchange.ts';
import { type Behaviour, events, openUpstream } from '../../testing/inference/fake-upstream.ts';
import { createOpenAiEngine } from './openai-engine.ts';

const done = '[DONE]';
const withTools = chat({ tools: [lookTool], toolChoice: { mode: 'auto' } });

function writing(...parts: readonly string[]): Behaviour {
  return (response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    for (const part of parts) response.write(part);
  };
}

describe('a broken stream is a fault, without content in its detail', () => {
  test.each<[string, readonly unknown[], string]>([
    [
      'an end before the finish_reason',
      [...helloChunks.slice(0, 3), done],
      'the stream ended before the completion',
    ],
    ['an event that is not JSON', [helloChunks[1], secretCompletion], 'an event is not JSON'],
    ['an event that is no object', [7], 'an event is no object'],
    [
      'an error',
      [helloChunks[1], { error: { message: secretCompletion } }],
      'the upstream reported an error in its stream',
    ],
    [
      'the end of an error',
      [helloChunks[1], { ...chatChunk({}), choices: [{ index: 0, delta: {}, finish_reason: 'error' }] }],
      'the upstream reported an error in its stream',
    ],
    [
      'a second choice',
      [{ ...chatChunk({}), choices: [{ index: 1, delta: {} }] }],
      'a choice that was not asked for',
    ],
    ['content of another type', [chatChunk({ content: [secretCompletion] })], 'a text that is no string'],
    [
      'a call of another tool',
      [chatChunk({ tool_calls: [{ ...lookCall, function: { name: 'x', arguments: '{}' } }] }, 'stop')],
      'not offered',
    ],
    [
      'a call without its end',
      [chatChunk({ tool_calls: [lookCallParts[0], lookCallParts[1]] }, 'length')],
      'not JSON',
    ],
    ['neither text nor calls', [chatChunk({}, 'stop')], 'neither text nor tool calls'],
    [
      'more tokens than paid for, without text',
      [chatChunk({ tool_calls: [lookCall] }, 'tool_calls'), usageChunk(21), done],
      'longer than max_tokens',
    ],
    ['an event that is too large', [chatChunk({ content: 'x'.repeat(20_000) })], 'larger than 16384 bytes'],
  ])('%s', async (_, chunks, detail) => {
    const { deltas, result } = await streamFrom(events(...chunks), withTools);
    expect(result).toMatchObject({
      ok: false,
      fault: { kind: 'failed', detail: expect.stringContaining(detail) },
    });
    expect(JSON.stringify(result)).not.toContain(secretCompletion);
    expect(deltas.every(({ kind }) => kind === 'text')).toBe(true);
  });

  test('a connection that breaks', async () => {
    const { deltas, result } = await streamFrom((response) => {
      writing(`data: ${JSON.stringify(helloChunks[1])}\n\n`)(response, {} as never);
      setTimeout(() => response.destroy(), 50);
    }, chat());
    expect(deltas).toEqual([{ kind: 'text', text: 'Hel' }]);
    expect(result).toMatchObject({
      ok: false,
      fault: { kind: 'failed', detail: expect.stringMatching(/broke/) },
    });
  });

  test('a part that is no HTTP', async () => {
    const { deltas, result } = await streamFrom((response) => {
      writing(`data: ${JSON.stringify(helloChunks[1])}\n\n`)(response, {} as never);
      setTimeout(() => response.socket?.end(`${secretCompletion}\r\n`), 50);
    }, chat());
    expect(deltas).toEqual([{ kind: 'text', text: 'Hel' }]);
    const detail = 'the response of the upstream is not valid HTTP';
    expect(result).toMatchObject({ ok: false, fault: { kind: 'failed', detail } });
  });

  test('an endless line, which is not read to its end', async () => {
    await using upstream = await openUpstream((response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      pour(response);
    });
    const engine = createOpenAiEngine(options(upstream.baseUrl));
    const { result } = await collect(engine.stream(chat(), limits()));
    expect(result).toMatchObject({ ok: false, fault: { kind: 'failed' } });
    await upstream.departure();
    await engine.close();
  });

  test('endless events, which are not read beyond responseBytesMax', async () => {
    const line = `data: ${JSON.stringify(chatChunk({ content: '' }))}\n\n`;
    const { result } = await streamFrom(writing(line.repeat(1_000)), chat());
    const detail = 'the response is larger than 65536 bytes';
    expect(result).toMatchObject({ ok: false, fault: { kind: 'failed', detail } });
  });
});

describe('time limits of a stream', () => {
  const first = `data: ${JSON.stringify(helloChunks[1])}\n\n`;

  test('an upstream that sends nothing more in time', async () => {
    const { deltas, result } = await streamFrom(writing(first), chat(), { idleTimeoutMs: 100 });
    expect(deltas).toHaveLength(1);
    const detail = 'nothing came from the upstream for 100 ms';
    expect(result).toMatchObject({ ok: false, fault: { kind: 'timeout', detail } });
  });

  test('an upstream that sends comments, and no text in time', async () => {
    const { deltas, result } = await streamFrom(
      (response) => {
        writing(': wait\n\n')(response, {} as never);
        const timer = setInterval(() => response.write(': wait\n\n'), 20);
        response.once('close', () => clearInterval(timer));
      },
      chat(),
      { idleTimeoutMs: 200 },
      { timeoutMs: 500 },
    );
    expect(deltas).toEqual([]);
    expect(result).toMatchObject({
      ok: false,
      fault: { kind: 'timeout', detail: 'no completion within 500 ms' },
    });
  });

  test('a caller that cancels, or takes no further part, closes the connection to the upstream', async () => {
    await using upstream = await openUpstream(afterHello(writing(first)));
    const engine = createOpenAiEngine(options(upstream.baseUrl, { connections: 1 }));
    await showEarly(engine);
    const controller = new AbortController();
    const cancelled = engine.stream(chat(), limits({ signal: controller.signal }));
    await cancelled.next();
    const ending = cancelled.next();
    controller.abort();
    expect(await ending).toMatchObject({ done: true, value: { ok: false, fault: { kind: 'cancelled' } } });
    await upstream.departure();
    const left = engine.stream(chat(), limits());
    await left.next();
    expect(await collect(engine.stream(chat(), limits()))).toMatchObject({
      result: { ok: false, fault: { kind: 'overloaded' } },
    });
    await left.return({ ok: false, fault: { kind: 'cancelled', detail: '' } });
    await upstream.departure();
    const next = engine.stream(chat(), limits());
    expect(await next.next()).toMatchObject({ done: false });
    await next.return({ ok: false, fault: { kind: 'cancelled', detail: '' } });
    await engine.close();
  });

  test('a slow caller slows the upstream down, and no part is lost', async () => {
    const part = 'x'.repeat(8_000);
    const lines = Array.from(
      { length: 40 },
      () => `data: ${JSON.stringify(chatChunk({ content: part }))}\n\n`,
    );
    const last = `data: ${JSON.stringify(chatChunk({}, 'stop'))}\n\n`;
    await using upstream = await openUpstream(writing(...lines, last, 'data: [DONE]\n\n'));
    const engine = createOpenAiEngine(
      options(upstream.baseUrl, { responseBytesMax: 2 ** 20, idleTimeoutMs: 40 }),
    );
    const stream = engine.stream(chat({ maxTokens: 200_000 }), limits());
    let length = 0;
    for (let next = await stream.next(); !next.done; next = await stream.next()) {
      if (next.value.kind === 'text') length += next.value.text.length;
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
    expect(length).toBe(40 * part.length);
    await engine.close();
  });
});
