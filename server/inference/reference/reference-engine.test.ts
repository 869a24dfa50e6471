import { CompletionMessage, Usage } from '@paid-inference/contract/validators';
import { describe, expect, test, vi } from 'vitest';
import { cpuMs } from '../../testing/cpu-time.ts';
import { collect, limits } from '../../testing/inference/exchange.ts';
import { infer, inferChat, readText } from '../../testing/inference/inference.ts';
import { addTool, chatTask, textTask, weatherTool } from '../../testing/inference/tasks.ts';
import { pick, randomText, seededBelow, testSeed } from '../../testing/inference/values.ts';
import type { ChatTask, InferenceTask, TaskToolChoice } from '../engine.ts';
import { countTokens } from '../tokens.ts';
import { createReferenceEngine } from './reference-engine.ts';

const seed = testSeed();
console.info(`reference-engine.test.ts: TEST_SEED=${seed}`);
const never = new AbortController().signal;
const tools = [addTool, weatherTool];

describe('text', () => {
  test('answers the last message of a chat in text, as the assistant', async () => {
    const inferred = await inferChat(chatTask('What is 6 * 7?'));
    expect(inferred).toEqual({
      kind: 'chat',
      message: { role: 'assistant', content: '6 * 7 = 42.' },
      finishReason: 'stop',
      usage: { prompt_tokens: 14, completion_tokens: 8, total_tokens: 22 },
    });
  });

  test('continues a prompt', async () => {
    expect(await infer(textTask('1, 2, 3,', { maxTokens: 5 }))).toMatchObject({
      kind: 'text',
      text: ' 4, 5',
      finishReason: 'length',
    });
  });

  test.each([1, 2, 3, 7, 20, 30])(
    'generates exactly max_tokens %i when the text is longer',
    async (maxTokens) => {
      for (const task of [
        chatTask('Tell me about autumn leaves.', { maxTokens }),
        textTask('Once upon a time', { maxTokens }),
      ]) {
        const inferred = await infer(task);
        const text = readText(inferred);
        expect(inferred.finishReason).toBe('length');
        expect(inferred.usage.completion_tokens).toBe(maxTokens);
        expect(await countTokens([text], never)).toBe(maxTokens);
      }
    },
  );

  test('ends an ordinary completion with stop within the default of max_tokens', async () => {
    const below = seededBelow(seed);
    for (let round = 0; round < 100; round++) {
      const messages: ChatTask['messages'] = [
        { role: 'system', content: randomText(below, below(300)) },
        { role: 'user', content: randomText(below, below(300)) },
        { role: 'assistant', content: randomText(below, below(300)) },
        { role: 'user', content: `Tell me more of ${randomText(below, below(3_000))}` },
      ];
      const inferred = await infer(chatTask(messages, { temperature: 1 }));
      expect(inferred.finishReason, readText(inferred)).toBe('stop');
      expect(inferred.usage.completion_tokens, readText(inferred)).toBeGreaterThan(20);
    }
  });

  test('ends text before the earliest stop sequence, also across tokens', async () => {
    const whole = readText(await infer(chatTask('Tell me about autumn leaves.')));
    const below = seededBelow(seed);
    for (let round = 0; round < 100; round++) {
      const stop = Array.from({ length: 1 + below(4) }, () => {
        const start = below(whole.length - 1);
        return whole.slice(start, start + 1 + below(8));
      });
      const inferred = await infer(chatTask('Tell me about autumn leaves.', { stop }));
      const first = Math.min(...stop.map((sequence) => whole.indexOf(sequence)));
      expect(readText(inferred), JSON.stringify(stop)).toBe(whole.slice(0, first));
      expect(inferred.finishReason).toBe('stop');
      expect(inferred.usage.completion_tokens).toBe(await countTokens([whole.slice(0, first)], never));
    }
  });

  test('returns finish_reason length when the stop sequence is beyond max_tokens', async () => {
    const task = chatTask('count to 9', { maxTokens: 5, stop: ['9'] });
    expect(await infer(task)).toMatchObject({
      finishReason: 'length',
      message: { content: '1, 2, '.slice(0, 5) },
    });
    expect(await infer({ ...task, stop: ['2'] })).toMatchObject({
      finishReason: 'stop',
      message: { content: '1, ' },
    });
  });
});

test('returns the beginning of the longer completion with a smaller max_tokens', async () => {
  const whole = readText(await infer(chatTask('Tell me about autumn leaves.')));
  for (const maxTokens of [5, 15, 25]) {
    const cut = readText(await infer(chatTask('Tell me about autumn leaves.', { maxTokens })));
    expect(whole.startsWith(cut)).toBe(true);
  }
});

describe('temperature', () => {
  const tasks: readonly InferenceTask[] = [
    chatTask('Tell me about autumn leaves.'),
    chatTask('What is the weather in Paris?', { tools }),
    textTask('Once upon a time'),
  ];

  test('0 gives the same bytes again, also from another engine', async () => {
    for (const task of tasks) {
      const once = JSON.stringify(await infer(task));
      expect(JSON.stringify(await infer(structuredClone(task)))).toBe(once);
    }
  });

  test('0 gives another task another call id', async () => {
    const first = await inferChat(chatTask('What is the weather in Paris?', { tools }));
    const second = await inferChat(chatTask('What is the weather in Rome?', { tools }));
    expect(first.message.tool_calls?.[0]?.id).not.toBe(second.message.tool_calls?.[0]?.id);
  });

  test('above 0 varies wording and call ids', async () => {
    for (const task of tasks) {
      const completions = new Set<string>();
      for (let call = 0; call < 20; call++)
        completions.add(JSON.stringify(await infer({ ...task, temperature: 0.1 })));
      expect(completions.size).toBeGreaterThan(1);
    }
  });

  test('above 0 depends only on the seed', async () => {
    const engine = createReferenceEngine({ randomSeed: () => 'fixed' });
    const task = { ...chatTask('Tell me about autumn leaves.'), temperature: 2 };
    const limits = { timeoutMs: 5_000, signal: never };
    expect(await engine.infer(task, limits)).toEqual(await engine.infer(task, limits));
  });
});

test('returns completions that match the contract within max_tokens, for random tasks', async () => {
  const below = seededBelow(seed);
  const choices: readonly [TaskToolChoice, ...TaskToolChoice[]] = [
    { mode: 'auto' },
    { mode: 'none' },
    { mode: 'required' },
    { mode: 'specific', name: 'add' },
  ];
  for (let round = 0; round < 200; round++) {
    const stop = Array.from({ length: below(3) }, () => randomText(below, 1 + below(3)));
    const common = { maxTokens: 1 + below(60), temperature: below(3), stop };
    const opening = pick(below, [
      'say ',
      'count to ',
      'what is 3 + ',
      'summarize: ',
      'how many words are in ',
      'the weather in ',
      '',
    ]);
    const words = opening + randomText(below, below(400));
    const task =
      below(4) === 0
        ? textTask(words, common)
        : chatTask(words, { ...common, tools, toolChoice: pick(below, choices) });
    const inferred = await infer(task);
    const where = JSON.stringify({ task, inferred });
    expect(Usage(inferred.usage), where).toBe(true);
    expect(inferred.usage.completion_tokens, where).toBeLessThanOrEqual(task.maxTokens);
    expect(readText(inferred).isWellFormed(), where).toBe(true);
    for (const sequence of stop) expect(readText(inferred), where).not.toContain(sequence);
    if (inferred.kind === 'chat') expect(CompletionMessage(inferred.message), where).toBe(true);
  }
});

describe('limits', () => {
  const long = 'All the words that fit into a mebibyte of conversation. '.repeat(18_700);

  test('answers a mebibyte within seconds', async () => {
    const started = cpuMs();
    const inferred = await infer(
      chatTask(
        [
          { role: 'user', content: long },
          { role: 'user', content: `say ${long}` },
        ],
        { maxTokens: 9 },
      ),
    );
    expect(inferred.usage.prompt_tokens).toBeGreaterThan(300_000);
    // Measured: 0.3 s.
    expect(cpuMs() - started).toBeLessThan(8_000);
  });

  test('ends when the caller cancels, before or during the work', async () => {
    const engine = createReferenceEngine();
    const fault = { kind: 'cancelled', detail: 'the client left before the response began' };
    expect(await engine.infer(chatTask('hi'), { timeoutMs: 5_000, signal: AbortSignal.abort() })).toEqual({
      ok: false,
      fault,
    });
    const controller = new AbortController();
    const inferring = engine.infer(chatTask(long), { timeoutMs: 20_000, signal: controller.signal });
    setImmediate(() => controller.abort());
    expect(await inferring).toEqual({ ok: false, fault });
  });

  test('serves a new client before most of the many inferences of another one (D-200)', async () => {
    const engine = createReferenceEngine();
    await engine.infer(chatTask('hi'), limits());
    const ended: string[] = [];
    const begin = (site: string, number: number) =>
      engine
        .infer(chatTask(`Tell me about leaf ${number}.`), { ...limits(), site })
        .then(() => ended.push(site));
    await Promise.all([...Array.from({ length: 40 }, (_, at) => begin('flood', at)), begin('home', 40)]);
    expect(ended.indexOf('home')).toBeLessThan(20);
  });

  test('ends at the timeout', async () => {
    const engine = createReferenceEngine();
    const inferred = await engine.infer(chatTask(long), { timeoutMs: 1, signal: never });
    expect(inferred).toEqual({ ok: false, fault: { kind: 'timeout', detail: 'no completion within 1 ms' } });
  });

  test('has the name reference', () => {
    expect(createReferenceEngine().name).toBe('reference');
  });
});

describe('a stream (D-268)', () => {
  test('yields words, and returns what the unstreamed call returns', async () => {
    const task = chatTask('Tell me about autumn leaves.');
    const { deltas, result } = await collect(createReferenceEngine().stream(task, limits()));
    const whole = await inferChat(task);
    expect(result).toEqual({ ok: true, value: whole });
    const parts = deltas.map((delta) => (delta.kind === 'text' ? delta.text : ''));
    expect(parts.join('')).toBe(whole.message.content);
    expect(parts.every((part) => /^\s*\S+$/.test(part))).toBe(true);
    expect(parts.length).toBeGreaterThan(5);
  });

  test('yields every text and every call, whatever the task', async () => {
    const below = seededBelow(seed);
    for (let round = 0; round < 60; round++) {
      const said = pick(below, ['What is the weather in Paris?', '1, 2, 3,', randomText(below, below(200))]);
      const task = pick<InferenceTask>(below, [
        chatTask(said, { tools, maxTokens: 1 + below(60) }),
        textTask(`say ${said}  `, { stop: [pick(below, [' ', 'e', 'xyz'])] }),
      ]);
      const { deltas, result } = await collect(createReferenceEngine().stream(task, limits()));
      const whole = await infer(task);
      expect(result).toEqual({ ok: true, value: whole });
      expect(deltas.map((delta) => (delta.kind === 'text' ? delta.text : '')).join('')).toBe(readText(whole));
      const calls = deltas.flatMap((delta) => (delta.kind === 'call' ? [delta.call] : []));
      expect(calls).toEqual((whole.kind === 'chat' && whole.message.tool_calls) || []);
    }
  });

  test('ends at the words so far, with `length`, when the time is over (D-272)', async () => {
    const whole = await inferChat(chatTask('Tell me about autumn leaves.'));
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const stream = createReferenceEngine().stream(chatTask('Tell me about autumn leaves.'), limits());
    const first = await stream.next();
    expect(first).toMatchObject({ done: false });
    const text = first.done ? '' : first.value.kind === 'text' && first.value.text;
    vi.advanceTimersByTime(limits().timeoutMs);
    vi.useRealTimers();
    const { deltas, result } = await collect(stream);
    expect(deltas).toEqual([]);
    expect(result).toMatchObject({
      ok: true,
      value: { message: { role: 'assistant', content: text }, finishReason: 'length' },
    });
    expect(whole.message.content).toMatch(new RegExp(`^${text}.`));
    if (result.ok) expect(result.value.usage.completion_tokens).toBeLessThan(whole.usage.completion_tokens);
  });

  test('ends between two words when the caller cancels', async () => {
    const controller = new AbortController();
    const stream = createReferenceEngine().stream(
      chatTask('Tell me about autumn leaves.'),
      limits({ signal: controller.signal }),
    );
    expect(await stream.next()).toMatchObject({ done: false });
    controller.abort();
    expect(await stream.next()).toMatchObject({ done: true, value: { fault: { kind: 'cancelled' } } });
  });
});
