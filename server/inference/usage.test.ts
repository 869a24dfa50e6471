import { expect, test } from 'vitest';
import { chatTask, textTask, weatherTool, withResult } from '../testing/inference/tasks.ts';
import { countTokens } from './tokens.ts';
import { countPromptTokens, countToolCallTokens, usageOf } from './usage.ts';

const never = new AbortController().signal;
const promptTokens = (task: Parameters<typeof countPromptTokens>[0]) => countPromptTokens(task, never);

test('a prompt costs its own tokens', async () => {
  expect(await promptTokens(textTask('one two three'))).toBe(3);
  expect(await promptTokens(textTask(''))).toBe(0);
});

test('a message costs 3 tokens beside its text, a name one more than itself, and a chat 3', async () => {
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

test('calls, their ids and tools are counted too', async () => {
  const bare = await promptTokens(chatTask(withResult('{"sky":"clear"}')));
  const id = await countTokens(['call_1'], never);
  const call = await countTokens(['get_weather', '{}'], never);
  const contents = await countTokens(['What is the weather in Paris?', '{"sky":"clear"}'], never);
  expect(bare).toBe(3 + 3 * 3 + contents + id + id + call + 3);
  const tools = [weatherTool];
  const withTools = await promptTokens(chatTask(withResult('{"sky":"clear"}'), { tools }));
  expect(withTools).toBe(bare + (await countTokens([JSON.stringify(tools)], never)));
});

test('a generated call costs its name, its arguments and 3', async () => {
  const call = { id: 'call_1', type: 'function', function: { name: 'add', arguments: '{}' } } as const;
  expect(await countToolCallTokens([call, call], never)).toBe(2 * (1 + 1 + 3));
});

test('the total is the sum', () => {
  expect(usageOf(5, 7)).toEqual({ prompt_tokens: 5, completion_tokens: 7, total_tokens: 12 });
});
