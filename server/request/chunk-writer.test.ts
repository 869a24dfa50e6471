import type { ChatCompletion, TextCompletion } from '@paid-inference/contract/types';
import { ChatCompletionChunk, TextCompletionChunk } from '@paid-inference/contract/validators';
import { describe, expect, test } from 'vitest';
import { createChunkWriter, streamWhole } from './chunk-writer.ts';

const usage = { prompt_tokens: 4, completion_tokens: 1, total_tokens: 5 };
const head = { id: 'one', created: 1_700_000_000, model: 'alder/alder-mini' };
const call = { id: 'call_1', type: 'function', function: { name: 'add', arguments: '{"a":1}' } } as const;

function chat(message: Partial<ChatCompletion['choices'][number]['message']>): ChatCompletion {
  const whole = { role: 'assistant', content: null, ...message } as const;
  return {
    ...head,
    object: 'chat.completion',
    choices: [{ index: 0, message: whole, finish_reason: 'stop' }],
    usage,
  };
}

const text: TextCompletion = {
  ...head,
  object: 'text_completion',
  choices: [{ index: 0, text: 'so on', finish_reason: 'length' }],
  usage,
};

function read(...given: Parameters<typeof streamWhole>) {
  const events = streamWhole(...given)
    .split('\n\n')
    .slice(0, -1);
  const data = events.filter((event) => event.startsWith('data: ')).map((event) => event.slice(6));
  return { events, chunks: data.slice(0, -1).map((each) => JSON.parse(each)), last: data.at(-1) };
}

describe('a stream has the format of OpenAI (D-267)', () => {
  test('the role in the first delta, the reason in the last, then [DONE]', async () => {
    const { events, chunks, last } = read(chat({ content: 'pong' }), null, false);
    expect(chunks.map(({ choices: [choice] }) => [choice.delta, choice.finish_reason])).toEqual([
      [{ role: 'assistant', content: '' }, null],
      [{ content: 'pong' }, null],
      [{}, 'stop'],
    ]);
    expect(last).toBe('[DONE]');
    expect(events).toHaveLength(4);
    for (const chunk of chunks) {
      expect(ChatCompletionChunk(chunk)).toBe(true);
      expect(chunk).toMatchObject({ ...head, object: 'chat.completion.chunk' });
      expect(chunk).not.toHaveProperty('usage');
    }
  });

  test('with include_usage, a last chunk without choices has the usage, and the others have null', async () => {
    const { chunks } = read(chat({ content: 'pong' }), null, true);
    expect(chunks.slice(0, -1).map((chunk) => chunk.usage)).toEqual([null, null, null]);
    expect(chunks.at(-1)).toMatchObject({ choices: [], usage });
    expect(chunks.every((chunk) => ChatCompletionChunk(chunk))).toBe(true);
  });

  test('each tool call is whole, and has its place', async () => {
    const calls = [call, { ...call, id: 'call_2' }];
    const { chunks } = read(chat({ tool_calls: calls }), null, false);
    expect(chunks.map(({ choices: [choice] }) => choice.delta)).toEqual([
      { role: 'assistant', content: null },
      { tool_calls: [{ index: 0, ...call }] },
      { tool_calls: [{ index: 1, ...call, id: 'call_2' }] },
      {},
    ]);
  });

  test('an empty text has a role, too', async () => {
    const { chunks } = read(chat({ content: '' }), null, false);
    expect(chunks.map(({ choices: [choice] }) => choice.delta)).toEqual([
      { role: 'assistant', content: '' },
      {},
    ]);
  });

  test('the proof is a comment before [DONE]', async () => {
    const { events } = read(chat({ content: 'pong' }), 'cHJvb2Y=', true);
    expect(events.slice(-2)).toEqual([': X-INFERENCE-PROOF: cHJvb2Y=', 'data: [DONE]']);
  });

  test('a text completion has texts instead of deltas', async () => {
    const { chunks } = read(text, null, true);
    expect(chunks.map(({ choices: [choice] }) => choice && [choice.text, choice.finish_reason])).toEqual([
      ['so on', null],
      ['', 'length'],
      undefined,
    ]);
    expect(chunks.every((chunk) => TextCompletionChunk(chunk))).toBe(true);
  });

  test('several parts of a text have one role', () => {
    const writer = createChunkWriter('chat', head, false);
    const written = writer.write({ kind: 'text', text: 'po' }) + writer.write({ kind: 'text', text: 'ng' });
    expect(written.match(/"role"/g)).toHaveLength(1);
    expect(written.match(/data: /g)).toHaveLength(3);
  });
});
