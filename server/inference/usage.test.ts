import { expect, test } from 'vitest';
import { chatTask, textTask, weatherTool, withResult } from '../testing/inference/tasks.ts';
import { countTokens } from './tokens.ts';
import { countPromptTokens, countToolCallTokens, sumUsage } from './usage.ts';

const never = new AbortController().signal;
const promptTokens = (task: Parameters<typeof countPromptTokens>[0]) => countPromptTokens(task, never);

test('counts the tokens of a prompt', async () => {
  expect(await promptTokens(textTask('one two three'))).toBe(3);
  expect(await promptTokens(textTask(''))).toBe(0);
});

test('counts 3 tokens for each message, 1 for each name and 3 for a chat, besides their texts', async () => {
  expect(await promptTokens(chatTask('one two three'))).toBe(3 + 3 + 3);
  expect(await promptTokens(chatTask([{ role: 'user', name: 'one', content: 'two' }]))).toBe(
    3 + 3 + 1 + 1 + 1,
  );
  const twice = [
    { role: 'system', content: 'one' },
    { role: 'user', content: 'two' },
  ] as const;
  expect(await promptTokens(chatTask(twice))).toBe(3 + 2 * (3 + 1));
});

test('counts calls, their ids and tools too', async () => {
  const bare = await promptTokens(chatTask(withResult('{"sky":"clear"}')));
  const id = await countTokens(['call_1'], never);
  const call = await countTokens(['get_weather', '{}'], never);
  const contents = await countTokens(['What is the weather in Paris?', '{"sky":"clear"}'], never);
  expect(bare).toBe(3 + 3 * 3 + contents + id + id + call + 3);
  const tools = [weatherTool];
  const withTools = await promptTokens(chatTask(withResult('{"sky":"clear"}'), { tools }));
  expect(withTools).toBe(bare + (await countTokens([JSON.stringify(tools)], never)));
});

test('counts name, arguments and 3 tokens for a generated call', async () => {
  const call = { id: 'call_1', type: 'function', function: { name: 'add', arguments: '{}' } } as const;
  expect(await countToolCallTokens([call, call], never)).toBe(2 * (1 + 1 + 3));
});

test('returns the sum as the total', () => {
  expect(sumUsage(5, 7)).toEqual({ prompt_tokens: 5, completion_tokens: 7, total_tokens: 12 });
});
