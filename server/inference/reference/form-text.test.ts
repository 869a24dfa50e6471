import { describe, expect, test } from 'vitest';
import { infer, inferChat, readText } from '../../testing/inference/inference.ts';
import { chatTask, textTask, weatherTool } from '../../testing/inference/tasks.ts';
import type { ChatTask } from '../engine.ts';
import { createReferenceEngine } from './reference-engine.ts';

const schema = {
  type: 'object',
  properties: { city: { type: 'string' }, days: { type: 'integer' }, note: { type: 'string' } },
  required: ['city', 'days'],
  additionalProperties: false,
};
const question = 'What is the weather in Paris in the next 3 days?';

function formed(
  type: 'json_object' | 'json_schema',
  described?: object,
  change: Partial<ChatTask> = {},
): ChatTask {
  const json_schema = { name: 'answer', ...(described !== undefined && { schema: { ...described } }) };
  return chatTask(question, { ...change, fields: { response_format: { type, json_schema } } });
}

describe('D-265: the form of a completion', () => {
  test('json_object is one JSON object with the completion', async () => {
    const { completion } = JSON.parse(readText(await inferChat(formed('json_object'))));
    expect(completion).toBe(readText(await inferChat(chatTask(question))));
  });

  test('json_schema satisfies the schema, with values of the question', async () => {
    const inferred = await inferChat(formed('json_schema', schema));
    expect(JSON.parse(readText(inferred))).toMatchObject({ city: expect.any(String), days: 3 });
    expect(inferred).toMatchObject({ finishReason: 'stop', message: { role: 'assistant' } });
  });

  test('json_schema without a schema is a JSON object', async () => {
    expect(JSON.parse(readText(await inferChat(formed('json_schema'))))).toEqual({
      completion: expect.any(String),
    });
  });

  test('leaves out optional members that do not fit in max_tokens, and ends with length if that is not enough', async () => {
    const wordy = { ...schema, properties: { ...schema.properties, note: { const: 'word '.repeat(200) } } };
    const short = await inferChat(formed('json_schema', wordy, { maxTokens: 60 }));
    expect(Object.keys(JSON.parse(readText(short)))).toEqual(['city', 'days']);
    const cut = await inferChat(formed('json_schema', wordy, { maxTokens: 3 }));
    expect(cut).toMatchObject({ finishReason: 'length', usage: { completion_tokens: 3 } });
  });

  test('fails for a schema that nothing satisfies, as a fault of the request, so that the payer pays nothing', async () => {
    const signal = new AbortController().signal;
    const impossible = formed('json_schema', { type: 'object', required: ['a'], properties: { a: false } });
    const inferred = await createReferenceEngine().infer(impossible, { timeoutMs: 15_000, signal });
    expect(inferred).toMatchObject({ ok: false, fault: { kind: 'failed', isOfRequest: true } });
  });

  test('ends before a stop sequence, like every text', async () => {
    const stopped = await inferChat(formed('json_schema', schema, { stop: ['"days"'] }));
    expect(readText(stopped)).not.toContain('days');
  });

  test('does not change a call of a tool', async () => {
    const task = formed('json_object', undefined, { tools: [weatherTool], toolChoice: { mode: 'required' } });
    expect(await inferChat(task)).toMatchObject({ finishReason: 'tool_calls' });
  });

  test('counts the schema as input', async () => {
    const [bare, described] = [
      await inferChat(chatTask(question)),
      await inferChat(formed('json_schema', schema)),
    ];
    expect(described.usage.prompt_tokens).toBeGreaterThan(bare.usage.prompt_tokens + 20);
  });
});

describe('D-264: a seed', () => {
  const story = 'Once upon a time in a forest';

  test('gives the same completion at every temperature, and another seed may give another one', async () => {
    const texts = new Set<string>();
    for (let seed = 0; seed < 12; seed++) {
      const task = textTask(story, { temperature: 1.5, fields: { seed } });
      const text = readText(await infer(task));
      expect(readText(await infer(task))).toBe(text);
      texts.add(text);
    }
    expect(texts.size).toBeGreaterThan(1);
  });

  test('and fields that the engine ignores do not change a completion at temperature 0', async () => {
    const bare = readText(await infer(textTask(story)));
    const fields = { seed: 5, top_p: 0.1, user: 'u', frequency_penalty: 1 };
    expect(readText(await infer(textTask(story, { fields })))).toBe(bare);
  });
});
