import { setImmediate as nextTurn } from 'node:timers/promises';
import OpenAI from 'openai';
import { describe, expect, test } from 'vitest';
import { createPayingFetch } from './create-paying-fetch.ts';
import { presentationsMax } from './limits.ts';
import { completionFor, testModel } from './testing/completions.ts';
import { chatBody, type Stage, setStage } from './testing/exchange.ts';

const saying = 'one two three four';
const completion = JSON.parse(completionFor('/v1/chat/completions', JSON.stringify(chatBody)));
completion.choices[0].message.content = saying;
const chunksBehind = (after: number) => ({ fate: 'break-stream', after }) as const;

async function setStreaming() {
  const stage = await setStage();
  stage.gateway.settings.streams = true;
  stage.gateway.settings.completion = JSON.stringify(completion);
  const fetch = createPayingFetch(stage.options());
  const openai = new OpenAI({ baseURL: `${stage.gateway.url}/v1`, apiKey: 'unused', fetch });
  const ask = (more: object = {}, signal?: AbortSignal) =>
    openai.chat.completions.create({ ...chatBody, ...more, stream: true }, { signal: signal ?? null });
  return { stage, fetch, openai, ask };
}

async function read(chunks: AsyncIterable<OpenAI.ChatCompletionChunk>) {
  let text = '';
  for await (const { choices } of chunks) text += choices[0]?.delta.content ?? '';
  return text;
}

const nonces = ({ gateway }: Stage) => new Set(gateway.paid().map(({ payment }) => payment)).size;

describe("A stream of OpenAI's SDK over a paying fetch (D-270)", () => {
  test('has the receipt in its head, and each event when it arrives', async () => {
    const { stage, openai } = await setStreaming();
    await using _ = stage;
    const held = Promise.withResolvers<void>();
    stage.gateway.fates({ fate: 'hold-stream', after: 2, until: held.promise });
    const asked = openai.chat.completions.create({ ...chatBody, stream: true });
    const { data, response } = await asked.withResponse();
    expect(response.headers.get('X-PAYMENT-RESPONSE')).not.toBeNull();
    let text = '';
    for await (const { choices } of data) {
      text += choices[0]?.delta.content ?? '';
      // Without this, the gateway never sends the rest.
      if (text === 'one') held.resolve();
    }
    expect(text).toBe(saying);
  });

  test('has the usage only if the caller asks for it, and always the proof and its end', async () => {
    const { stage, fetch } = await setStreaming();
    await using _ = stage;
    const send = async (more: object) => {
      const body = JSON.stringify({ ...chatBody, stream: true, ...more });
      return (await fetch(stage.chatUrl, { method: 'POST', body })).text();
    };
    const bare = await send({});
    expect(bare).not.toContain('usage');
    expect(bare).toMatch(/: X-INFERENCE-PROOF: \S+\n\ndata: \[DONE\]\n\n$/);
    expect(await send({ stream_options: { include_usage: true } })).toContain('"total_tokens":5');
    expect(JSON.parse(stage.gateway.paid()[0]?.body ?? '')).toEqual({
      ...chatBody,
      stream: true,
      stream_options: { include_usage: true },
    });
  });

  test('has tool calls and texts as the gateway sends them', async () => {
    const { stage, openai, ask } = await setStreaming();
    await using _ = stage;
    delete stage.gateway.settings.completion;
    const tools = [{ type: 'function' as const, function: { name: 'get_weather' } }];
    const called = openai.chat.completions.stream({ ...chatBody, tools });
    const { choices } = await called.finalChatCompletion();
    expect(choices[0]?.message.tool_calls?.[0]).toMatchObject({ function: { name: 'get_weather' } });
    expect(await read(await ask())).toBe('pong');
    const texts = await openai.completions.create({ model: testModel, prompt: 'ping', stream: true });
    let text = '';
    for await (const chunk of texts) text += chunk.choices[0]?.text ?? '';
    expect(text).toBe('pong');
  });

  test.each([0, 1, 2, 3, 5, 6])('continues when it breaks behind %i events', async (after) => {
    const { stage, ask } = await setStreaming();
    await using _ = stage;
    stage.gateway.fates(chunksBehind(after));
    expect(await read(await ask())).toBe(saying);
    expect([stage.gateway.paid().length, nonces(stage)]).toEqual([2, 1]);
  });

  test.each([
    ['another completion', { id: 'chatcmpl-2' }, 'ran the request again'],
    [
      'another text',
      { choices: [{ ...completion.choices[0], message: { role: 'assistant', content: 'two' } }] },
      'another text',
    ],
  ])(
    'fails when it breaks and the gateway sends %s; the retry gets it by the same payment',
    async (_, other, message) => {
      const { stage, ask } = await setStreaming();
      await using __ = stage;
      stage.gateway.fates(chunksBehind(3));
      const stream = await ask();
      stage.gateway.settings.completion = JSON.stringify({ ...completion, ...other });
      await expect(read(stream)).rejects.toThrow(message);
      expect(await read(await ask())).not.toBe('');
      expect([nonces(stage), stage.gateway.store.charges.length]).toEqual([1, 1]);
    },
  );

  test.each([0, 1, 3, 6])(
    'continues behind %i events when the gateway sends the rest unstreamed',
    async (after) => {
      const { stage, ask } = await setStreaming();
      await using _ = stage;
      stage.gateway.fates(chunksBehind(after));
      const stream = await ask({ stream_options: { include_usage: true } });
      stage.gateway.settings.streams = false;
      let text = '';
      let tokens: number | undefined;
      const reasons = new Set<string | null | undefined>();
      for await (const { choices, usage } of stream) {
        text += choices[0]?.delta.content ?? '';
        reasons.add(choices[0]?.finish_reason);
        tokens = usage?.total_tokens ?? tokens;
      }
      expect([text, tokens, reasons.has('stop')]).toEqual([saying, 5, true]);
      expect([stage.gateway.paid().length, nonces(stage)]).toEqual([2, 1]);
      // The completion is delivered, so the next call is another purchase.
      await ask();
      expect(nonces(stage)).toBe(2);
    },
  );

  test('fails when the unstreamed rest is of another text; the retry gets it by the same payment', async () => {
    const { stage, ask } = await setStreaming();
    await using _ = stage;
    stage.gateway.fates(chunksBehind(3));
    const stream = await ask();
    stage.gateway.settings.streams = false;
    stage.gateway.settings.completion = JSON.stringify({ ...completion, id: 'chatcmpl-2' });
    await expect(read(stream)).rejects.toThrow('another text');
    await ask();
    expect([nonces(stage), stage.gateway.store.charges.length]).toEqual([1, 1]);
  });

  test('with a refusal of the rest keeps its payment for the retry', async () => {
    const { stage, ask } = await setStreaming();
    await using _ = stage;
    stage.gateway.fates(chunksBehind(3), { fate: 'respond', status: 404, code: 'not_found' });
    await expect(read(await ask())).rejects.toThrow('Send the same request');
    expect(await read(await ask())).toBe(saying);
    expect([nonces(stage), stage.gateway.store.charges.length]).toEqual([1, 1]);
  });

  test('without usage ends for its reader, who has all of the text', async () => {
    const { stage, ask } = await setStreaming();
    await using _ = stage;
    stage.gateway.fates({ fate: 'break-stream', after: 6, with: 'data: [DONE]\n\n' });
    expect(await read(await ask())).toBe(saying);
    expect(stage.gateway.paid()).toHaveLength(1);
    await read(await ask());
    expect(nonces(stage)).toBe(2);
  });

  test('of a server that omits what is null, and begins with an empty chunk, is read', async () => {
    const { stage, ask } = await setStreaming();
    await using _ = stage;
    const { id, created, model } = completion;
    const head = { id, object: 'chat.completion.chunk', created, model };
    const written = [
      { id: '', object: '', created: 0, model: '', choices: [], prompt_filter_results: [] },
      { ...head, choices: [{ index: 0, delta: { role: 'assistant', content: saying, tool_calls: null } }] },
      { ...head, choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] },
      { ...head, choices: [], usage: completion.usage },
    ];
    const events = written.map((chunk) => `data: ${JSON.stringify(chunk)}\n\n`).join('');
    stage.gateway.fates({ fate: 'break-stream', after: 0, with: `${events}data: [DONE]\n\n` });
    expect(await read(await ask())).toBe(saying);
    expect(stage.gateway.paid()).toHaveLength(1);
  });

  test('is free for the next call when its caller aborts it, and nobody reads its body', async () => {
    const { stage, fetch, ask } = await setStreaming();
    await using _ = stage;
    stage.gateway.fates({ fate: 'hold-stream', after: 2, until: new Promise(() => undefined) });
    const body = JSON.stringify({ ...chatBody, stream: true });
    const leaving = new AbortController();
    const response = await fetch(stage.chatUrl, { method: 'POST', body, signal: leaving.signal });
    // The first chunk waits for a reader.
    for (let turn = 0; turn < 10; turn++) await nextTurn();
    leaving.abort();
    expect(await read(await ask())).toBe(saying);
    expect(stage.gateway.store.charges).toHaveLength(1);
    await expect(response.text()).rejects.toThrow('aborted');
  });

  test('fails when it breaks too often; the retry gets the completion by the same payment', async () => {
    const { stage, ask } = await setStreaming();
    await using _ = stage;
    stage.gateway.fates(...Array(presentationsMax).fill(chunksBehind(2)));
    await expect(read(await ask())).rejects.toThrow('Send the same request');
    expect(await read(await ask())).toBe(saying);
    expect([nonces(stage), stage.gateway.store.charges.length]).toEqual([1, 1]);
  });

  test('ends silently when the caller aborts it, and the next call at once sends the same payment', async () => {
    const { stage, ask } = await setStreaming();
    await using _ = stage;
    stage.gateway.fates({ fate: 'hold-stream', after: 2, until: new Promise(() => undefined) });
    const leaving = new AbortController();
    for await (const { choices } of await ask({}, leaving.signal))
      if (choices[0]?.delta.content === 'one') leaving.abort();
    expect(await read(await ask())).toBe(saying);
    expect([nonces(stage), stage.gateway.store.charges.length]).toEqual([1, 1]);
  });

  test('is free for the next call when its reader cancels it', async () => {
    const { stage, fetch, ask } = await setStreaming();
    await using _ = stage;
    stage.gateway.fates({ fate: 'hold-stream', after: 2, until: new Promise(() => undefined) });
    const body = JSON.stringify({ ...chatBody, stream: true });
    const response = await fetch(stage.chatUrl, { method: 'POST', body });
    await response.body?.cancel();
    expect(await read(await ask())).toBe(saying);
    expect(stage.gateway.store.charges).toHaveLength(1);
  });
});
