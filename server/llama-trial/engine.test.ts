import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { chat, collect, limits, text } from '../testing/inference/exchange.ts';
import { complete, endless, openTinyEngine, story } from './tiny-engine.ts';

describe('a text', () => {
  test('ends where the model ends it, with the tokens of the template and of the model', async () => {
    const { engine } = openTinyEngine(story);
    // <|im_start|>user⏎Hi<|im_end|>⏎<|im_start|>assistant⏎: each letter of this model is a token.
    const promptTokens = 1 + 5 + 2 + 2 + 1 + 10;
    expect(await complete(engine)).toEqual({
      kind: 'chat',
      message: { role: 'assistant', content: 'Once upon a time' },
      finishReason: 'stop',
      usage: { prompt_tokens: promptTokens, completion_tokens: 4, total_tokens: promptTokens + 4 },
    });
  });

  test('ends after max_tokens', async () => {
    const { engine } = openTinyEngine(story);
    expect(await complete(engine, { maxTokens: 2 })).toMatchObject({
      message: { content: 'Once upon' },
      finishReason: 'length',
      usage: { completion_tokens: 2 },
    });
    expect(await complete(engine, { maxTokens: 4 })).toMatchObject({ finishReason: 'length' });
    expect(await complete(engine, { maxTokens: 5 })).toMatchObject({ finishReason: 'stop' });
  });

  test('ends before a stop sequence, also one that begins in another token', async () => {
    const { engine } = openTinyEngine(story);
    expect(await complete(engine, { stop: [' time', 'on a'] })).toMatchObject({
      message: { content: 'Once up' },
      finishReason: 'stop',
      usage: { completion_tokens: 3 },
    });
  });

  test('continues a prompt', async () => {
    const { engine } = openTinyEngine(story);
    const task = text({ prompt: 'Once', temperature: 0 });
    expect(await engine.infer(task, limits())).toMatchObject({
      ok: true,
      value: { kind: 'text', text: ' upon a time', finishReason: 'stop', usage: { prompt_tokens: 1 } },
    });
  });

  test('has only whole characters', async () => {
    const bytes = ['<0xF0>', '<0x9F>', '<0x98>', '<0x80>'];
    const follows = Object.fromEntries(['\n', ...bytes].map((from, at) => [from, [bytes[at] ?? '']]));
    const { engine } = openTinyEngine({ follows });
    expect(await complete(engine)).toMatchObject({ message: { content: '😀' }, finishReason: 'stop' });
    const cut = await complete(engine, { maxTokens: 3 });
    expect(cut).toMatchObject({ message: { content: '' }, finishReason: 'length' });
  });

  test('reads marks of the template in a message as letters', async () => {
    const { engine } = openTinyEngine(story);
    const mark = '<|im_end|>';
    const plain = await complete(engine);
    const marked = await complete(engine, { messages: [{ role: 'user', content: mark }] });
    expect(marked.usage.prompt_tokens - plain.usage.prompt_tokens).toBe(mark.length - 'Hi'.length);
  });
});

describe('drawing', () => {
  const letters = ['a', 'b', 'c', 'd'];
  const follows = Object.fromEntries(['\n', ...letters].map((from) => [from, letters]));
  const draw = async (seed?: number, temperature = 1) => {
    const { engine } = openTinyEngine({ follows });
    const fields = seed === undefined ? {} : { seed };
    return (await complete(engine, { temperature, fields, maxTokens: 40 })).message.content;
  };

  test('gives the same text for the same seed, and another text for another seed or none', async () => {
    const first = await draw(7);
    expect(new Set(first)).toEqual(new Set(letters));
    expect(await draw(7)).toBe(first);
    expect(new Set([first, await draw(8), await draw(-1), await draw(), await draw()]).size).toBe(5);
  });

  test('gives the same text at temperature 0', async () => {
    expect(new Set([await draw(1, 0), await draw(2, 0)]).size).toBe(1);
  });

  test('avoids the tokens so far with a penalty', async () => {
    const { engine } = openTinyEngine({ follows });
    const fields = { seed: 7, frequency_penalty: 2, presence_penalty: 2 };
    const { message } = await complete(engine, { temperature: 0.1, fields, maxTokens: 8 });
    const counts = letters.map((letter) => `${message.content}`.split(letter).length - 1);
    expect(counts).toEqual([2, 2, 2, 2]);
  });
});

describe('a stream', () => {
  test('yields each word, and the same completion', async () => {
    const { engine } = openTinyEngine(story);
    const messages = [{ role: 'user' as const, content: 'Hi' }];
    const { deltas, result } = await collect(engine.stream(chat({ temperature: 0, messages }), limits()));
    expect(deltas.map((delta) => (delta.kind === 'text' ? delta.text : ''))).toEqual([
      'Once',
      ' upon',
      ' a',
      ' time',
    ]);
    expect(result).toEqual({ ok: true, value: await complete(engine) });
  });

  test('becomes a completion at the deadline', async () => {
    const { engine } = openTinyEngine(endless, { contextTokens: 4_096 });
    await complete(engine, { maxTokens: 1 });
    const task = chat({ maxTokens: 4_000, temperature: 0 });
    const { deltas, result } = await collect(engine.stream(task, limits({ timeoutMs: 30 })));
    const shown = deltas.map((delta) => (delta.kind === 'text' ? delta.text : '')).join('');
    expect(deltas.length).toBeGreaterThan(1);
    expect(result).toMatchObject({
      ok: true,
      value: {
        message: { content: shown },
        finishReason: 'length',
        usage: { completion_tokens: deltas.length },
      },
    });
  });

  test('ends for a caller that leaves, and frees its sequence', async () => {
    const { engine } = openTinyEngine(endless, { sequences: 1, contextTokens: 4_096 });
    const stream = engine.stream(chat({ maxTokens: 4_000 }), limits());
    await stream.next();
    await stream.return({ ok: false, fault: { kind: 'cancelled', detail: '' } });
    await expect.poll(() => complete(engine, { maxTokens: 2 })).toMatchObject({ finishReason: 'length' });
  });

  test('frees its sequence at the deadline, while the caller takes no part', async () => {
    const { engine } = openTinyEngine(endless, { sequences: 1, contextTokens: 4_096 });
    await complete(engine, { maxTokens: 1 });
    const stream = engine.stream(chat({ maxTokens: 4_000 }), limits({ timeoutMs: 200 }));
    await stream.next();
    await expect.poll(() => complete(engine, { maxTokens: 2 })).toMatchObject({ finishReason: 'length' });
    expect(await collect(stream)).toMatchObject({ result: { ok: true, value: { finishReason: 'length' } } });
  });
});

describe('limits', () => {
  const long = { maxTokens: 4_000, temperature: 0 };

  test('the deadline and the caller end a task at once, and its sequence is free again', async () => {
    const { engine } = openTinyEngine(endless, { sequences: 1, contextTokens: 4_096 });
    await complete(engine, { maxTokens: 1 });
    const began = performance.now();
    const late = await engine.infer(chat(long), limits({ timeoutMs: 20 }));
    expect(late).toMatchObject({
      ok: false,
      fault: { kind: 'timeout', detail: 'no completion within 20 ms' },
    });
    expect(performance.now() - began).toBeLessThan(200);
    await expect.poll(() => complete(engine, { maxTokens: 2 })).toMatchObject({ finishReason: 'length' });
    const caller = new AbortController();
    const cancelled = engine.infer(chat(long), limits({ signal: caller.signal }));
    await delay(20);
    caller.abort();
    expect(await cancelled).toMatchObject({ ok: false, fault: { kind: 'cancelled' } });
    await expect.poll(() => complete(engine, { maxTokens: 2 })).toMatchObject({ finishReason: 'length' });
  });

  test('runs as many tasks at once as it has sequences, and refuses the next one', async () => {
    const { engine } = openTinyEngine(endless, { sequences: 2, contextTokens: 512 });
    const runs = Array.from({ length: 3 }, () => engine.infer(chat({ maxTokens: 200 }), limits()));
    const [one, two, three] = await Promise.all(runs);
    for (const run of [one, two]) expect(run).toMatchObject({ ok: true, value: { finishReason: 'length' } });
    const detail = 'all 2 sequences of the model are busy';
    expect(three).toEqual({ ok: false, fault: { kind: 'overloaded', detail } });
  });

  test('does not run a task whose tokens exceed the context', async () => {
    const { engine } = openTinyEngine(endless, { contextTokens: 256 });
    const messages = [{ role: 'user' as const, content: 'x'.repeat(200) }];
    expect(await engine.infer(chat({ messages, maxTokens: 100 }), limits())).toEqual({
      ok: false,
      fault: {
        kind: 'failed',
        detail: 'the prompt has 219 tokens, which with max_tokens 100 exceed the context of 256 tokens',
      },
    });
    expect(await complete(engine, { messages, maxTokens: 37 })).toMatchObject({ finishReason: 'length' });
  });
});
