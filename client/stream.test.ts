import type { ChatCompletionChunk, SavedExchange } from '@paid-inference/contract/types';
import { describe, expect, test } from 'vitest';
import { createClient } from './client.ts';
import type { StreamResult } from './result.ts';
import { completionFor, envelope, streamedProof, testModel } from './testing/completions.ts';
import { chatBody, type Stage, setStage } from './testing/exchange.ts';
import { reply } from './testing/gateway.ts';

const saying = 'one two three four';
const chatPath = '/v1/chat/completions';
const completion = JSON.parse(completionFor(chatPath, JSON.stringify(chatBody)));
completion.choices[0].message.content = saying;

async function setStreaming(more: Partial<Parameters<typeof createClient>[0]> = {}) {
  const stage = await setStage();
  stage.gateway.settings.streams = true;
  stage.gateway.settings.completion = JSON.stringify(completion);
  const saved: SavedExchange[] = [];
  const onExchange = (exchange: SavedExchange) => void saved.push(exchange);
  const client = createClient({ ...stage.options(), baseUrl: stage.gateway.url, onExchange, ...more });
  return { stage, client, saved };
}

function requireStream<Chunk, Completion>(result: StreamResult<Chunk, Completion>) {
  if (result.kind !== 'stream') throw new Error(JSON.stringify(result));
  return result;
}

async function take(chunks: AsyncIterable<ChatCompletionChunk>) {
  const taken: ChatCompletionChunk[] = [];
  for await (const chunk of chunks) taken.push(chunk);
  return taken;
}

const textOf = (chunks: readonly ChatCompletionChunk[]) =>
  chunks.flatMap(({ choices }) => choices.map(({ delta }) => delta.content ?? '')).join('');
const nonces = ({ gateway }: Stage) => new Set(gateway.paid().map(({ payment }) => payment)).size;

describe('A streamed call (D-270)', () => {
  test('knows the receipt before the first chunk, and returns the whole completion behind the last', async () => {
    const { stage, client, saved } = await setStreaming();
    await using _ = stage;
    const streamed = requireStream(await client.streamChat(chatBody));
    expect(streamed).toMatchObject({
      receipt: { success: true, payer: stage.wallet.address },
      receiptFault: null,
      payment: { state: 'settled' },
      replayed: false,
      requestId: 'request-1',
    });
    expect(saved).toEqual([]);
    expect(textOf(await take(streamed.chunks))).toBe(saying);
    expect(await streamed.whole()).toMatchObject({
      kind: 'completion',
      completion,
      receipt: { amount: '10000' },
    });
    expect(JSON.parse(stage.gateway.paid()[0]?.body ?? '')).toEqual({
      ...chatBody,
      stream: true,
      stream_options: { include_usage: true },
    });
  });

  test('saves the exchange with the whole completion and its proof, as an unstreamed one', async () => {
    const { stage, client, saved } = await setStreaming();
    await using _ = stage;
    await requireStream(await client.streamChat(chatBody)).whole();
    expect(saved).toHaveLength(1);
    expect(JSON.parse(saved[0]?.response.body ?? '')).toEqual(completion);
    expect(saved[0]?.response.headers['x-inference-proof']).toBe(streamedProof);
    expect(JSON.parse(saved[0]?.request.body ?? '')).toMatchObject({ stream: true });
  });

  test('puts the parts of tool calls together', async () => {
    const { stage, client } = await setStreaming();
    await using _ = stage;
    delete stage.gateway.settings.completion;
    const tools = [{ type: 'function' as const, function: { name: 'get_weather' } }];
    const streamed = requireStream(await client.streamChat({ ...chatBody, tools }));
    expect(await streamed.whole()).toMatchObject({
      completion: {
        choices: [
          {
            message: {
              content: null,
              tool_calls: [
                { id: 'call-1', type: 'function', function: { name: 'get_weather', arguments: '{}' } },
              ],
            },
            finish_reason: 'tool_calls',
          },
        ],
      },
    });
  });

  test('of the text endpoint does the same', async () => {
    const { stage, client } = await setStreaming();
    await using _ = stage;
    delete stage.gateway.settings.completion;
    const streamed = requireStream(await client.streamComplete({ model: testModel, prompt: 'ping' }));
    expect(await streamed.whole()).toMatchObject({
      kind: 'completion',
      completion: { object: 'text_completion', choices: [{ text: 'pong', finish_reason: 'stop' }] },
    });
  });

  test('returns the completion of a gateway that does not stream', async () => {
    const { stage, client } = await setStreaming();
    await using _ = stage;
    stage.gateway.settings.streams = false;
    expect(await client.streamChat(chatBody)).toMatchObject({ kind: 'completion', completion });
  });

  test('returns refusals and errors like an unstreamed call', async () => {
    const { stage, client } = await setStreaming();
    await using _ = stage;
    const { rules } = stage.options();
    const poor = createClient({
      ...stage.options(),
      rules: { ...rules, amountPerRequestMax: 1n },
      baseUrl: stage.gateway.url,
    });
    expect(await poor.streamChat(chatBody)).toMatchObject({ kind: 'refused', by: 'rules' });
    stage.gateway.settings.unpaid = () => reply(400, envelope('invalid_request'));
    expect(await client.streamChat(chatBody)).toMatchObject({ kind: 'error', code: 'invalid_request' });
  });

  test('chat and complete refuse a body with `stream`, before they pay', async () => {
    const { stage, client } = await setStreaming();
    await using _ = stage;
    await expect(client.chat({ ...chatBody, stream: true })).rejects.toThrow('streamChat');
    await expect(client.complete({ model: testModel, prompt: 'x', stream: true })).rejects.toThrow(
      'streamComplete',
    );
    expect(stage.gateway.received).toEqual([]);
  });

  test('says that a receipt is missing before the first chunk', async () => {
    const { stage, client } = await setStreaming();
    await using _ = stage;
    stage.gateway.settings.receiptHeader = null;
    const streamed = requireStream(await client.streamChat(chatBody));
    expect(streamed).toMatchObject({ receipt: null, receiptFault: expect.stringContaining('missing') });
    expect(await streamed.whole()).toMatchObject({ kind: 'completion', receipt: null });
  });
});

describe('A stream that breaks (D-270)', () => {
  test.each([0, 1, 2, 3, 5, 6])(
    'behind %i events continues by the same payment, without a repeated text',
    async (after) => {
      const { stage, client, saved } = await setStreaming();
      await using _ = stage;
      stage.gateway.fates({ fate: 'break-stream', after });
      const streamed = requireStream(await client.streamChat(chatBody));
      const chunks = await take(streamed.chunks);
      expect(textOf(chunks)).toBe(saying);
      expect(chunks.filter(({ choices }) => choices[0]?.finish_reason === 'stop').length).toBeGreaterThan(0);
      expect(await streamed.whole()).toMatchObject({ kind: 'completion', completion, replayed: true });
      expect(stage.gateway.paid()).toHaveLength(2);
      expect(nonces(stage)).toBe(1);
      expect(saved).toHaveLength(1);
    },
  );

  test.each([
    ['an error event', `data: ${envelope('upstream_error')}\n\n`],
    ['an event that is no chunk', 'data: {}\n\n'],
    ['an event that is not JSON', 'data: {\n\n'],
    ['[DONE] too early', 'data: [DONE]\n\n'],
  ])('by %s is fetched again', async (_, event) => {
    const { stage, client } = await setStreaming();
    await using __ = stage;
    stage.gateway.fates({ fate: 'break-stream', after: 2, with: event });
    const streamed = requireStream(await client.streamChat(chatBody));
    const whole = await streamed.whole();
    if (event.includes('DONE')) expect(whole).toMatchObject({ kind: 'error', payment: { state: 'settled' } });
    else expect(whole).toMatchObject({ kind: 'completion', completion });
  });

  test('begins again with another id when the gateway ran the request again', async () => {
    const { stage, client } = await setStreaming();
    await using _ = stage;
    stage.gateway.fates({ fate: 'break-stream', after: 3 });
    const streamed = requireStream(await client.streamChat(chatBody));
    const chunks: ChatCompletionChunk[] = [];
    const other = { ...completion, id: 'chatcmpl-2' };
    for await (const chunk of streamed.chunks) {
      stage.gateway.settings.completion = JSON.stringify(other);
      chunks.push(chunk);
    }
    expect(textOf(chunks.filter(({ id }) => id === completion.id))).toBe('one two');
    expect(textOf(chunks.filter(({ id }) => id === other.id))).toBe(saying);
    expect(await streamed.whole()).toMatchObject({ completion: { id: other.id } });
  });

  test('too often ends with an error that says what was paid, and the same call sends the same payment', async () => {
    const { stage, client } = await setStreaming();
    await using _ = stage;
    const broken = { fate: 'break-stream', after: 2 } as const;
    stage.gateway.fates(broken, broken, broken, broken);
    const streamed = requireStream(await client.streamChat(chatBody));
    expect(await streamed.whole()).toMatchObject({
      kind: 'network',
      message: expect.stringContaining('the stream broke'),
      payment: { state: 'settled', receipt: { success: true } },
    });
    const again = requireStream(await client.streamChat(chatBody));
    expect(await again.whole()).toMatchObject({ kind: 'completion', completion });
    expect(nonces(stage)).toBe(1);
    expect(stage.gateway.store.charges).toHaveLength(1);
  });

  test('waits while the gateway still works on the completion', async () => {
    const { stage, client } = await setStreaming();
    await using _ = stage;
    const pending = { fate: 'respond', status: 503, code: 'settlement_pending' } as const;
    stage.gateway.fates({ fate: 'break-stream', after: 2 }, pending);
    const streamed = requireStream(await client.streamChat(chatBody));
    expect(await streamed.whole()).toMatchObject({ kind: 'completion', completion });
    expect(nonces(stage)).toBe(1);
  });

  test('continues with the rest that the gateway sends unstreamed', async () => {
    const { stage, client } = await setStreaming();
    await using _ = stage;
    stage.gateway.fates({ fate: 'break-stream', after: 3 });
    const streamed = requireStream(await client.streamChat(chatBody));
    stage.gateway.settings.streams = false;
    expect(textOf(await take(streamed.chunks))).toBe(saying);
    expect(await streamed.whole()).toMatchObject({ kind: 'completion', completion, replayed: true });
    expect(nonces(stage)).toBe(1);
    // The completion is delivered, so the next call is another purchase.
    await client.streamChat(chatBody);
    expect(nonces(stage)).toBe(2);
  });

  test('because the caller took no more: whole() fetches the rest by the same payment', async () => {
    const { stage, client } = await setStreaming();
    await using _ = stage;
    const streamed = requireStream(await client.streamChat(chatBody));
    for await (const chunk of streamed.chunks) if (textOf([chunk]) !== '') break;
    expect(await streamed.whole()).toMatchObject({ kind: 'completion', completion });
    expect(nonces(stage)).toBe(1);
  });

  test('because the caller took no more: the same call later sends the same payment', async () => {
    const { stage, client } = await setStreaming();
    await using _ = stage;
    for await (const _chunk of requireStream(await client.streamChat(chatBody)).chunks) break;
    expect(await requireStream(await client.streamChat(chatBody)).whole()).toMatchObject({ completion });
    expect(nonces(stage)).toBe(1);
  });

  test('ends when the caller aborts', async () => {
    const { stage, client } = await setStreaming();
    await using _ = stage;
    const controller = new AbortController();
    stage.gateway.fates({ fate: 'break-stream', after: 2 });
    const streamed = requireStream(await client.streamChat(chatBody, { signal: controller.signal }));
    for await (const _chunk of streamed.chunks) controller.abort();
    expect(await streamed.whole()).toMatchObject({ kind: 'network', payment: { state: 'settled' } });
    expect(stage.gateway.paid()).toHaveLength(1);
  });
});
