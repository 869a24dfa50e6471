import type { ToolDefinition } from '@paid-inference/contract/types';
import { expect, test } from 'vitest';
import { hostileSchemas } from '../../testing/inference/hostile-schemas.ts';
import { inferChat } from '../../testing/inference/inference.ts';
import { addTool, chatTask, weatherTool, withResult } from '../../testing/inference/tasks.ts';
import type { ChatTask } from '../engine.ts';
import { toolToCall } from './call-tool.ts';
import { readConversation } from './conversation.ts';

const tools = [addTool, weatherTool];

test('calls the tool that the message is about with tool_choice auto', async () => {
  const inferred = await inferChat(chatTask('What is the weather in Paris?', { tools }));
  expect(inferred).toMatchObject({
    message: { role: 'assistant', content: null },
    finishReason: 'tool_calls',
  });
  expect(inferred.message.tool_calls).toEqual([
    {
      id: expect.stringMatching(/^call_[0-9a-f]{24}$/),
      type: 'function',
      function: { name: 'get_weather', arguments: '{"location":"Paris"}' },
    },
  ]);
  expect(inferred.usage.completion_tokens).toBeGreaterThan(5);
  expect(inferred.usage.total_tokens).toBe(inferred.usage.prompt_tokens + inferred.usage.completion_tokens);
});

test.each(['Hello!', 'Tell me a joke about cats.', 'What is your name?', ''])(
  'answers %j in text with tool_choice auto',
  async (content) => {
    const inferred = await inferChat(chatTask(content, { tools }));
    expect(inferred.message.tool_calls).toBeUndefined();
    expect(inferred.message.content).toEqual(expect.any(String));
  },
);

test('calls no tool with tool_choice none', async () => {
  const task = chatTask('What is the weather in Paris?', { tools, toolChoice: { mode: 'none' } });
  expect((await inferChat(task)).message.tool_calls).toBeUndefined();
});

test('calls the named tool for every message', async () => {
  const toolChoice = { mode: 'specific', name: 'add' } as const;
  expect(await calledBy(chatTask('What is the weather in Paris?', { tools, toolChoice }))).toBe('add');
});

test('calls the best tool with tool_choice required, also when none fits', async () => {
  const toolChoice = { mode: 'required' } as const;
  expect(await calledBy(chatTask('Is it the weather for a walk?', { tools, toolChoice }))).toBe(
    'get_weather',
  );
  expect(await calledBy(chatTask('Hello!', { tools, toolChoice }))).toBe('add');
});

test('answers a tool result in text with its values, and does not call the tool again', async () => {
  const messages = withResult('{"temperature":18,"wind":{"speed_kmh":12},"sky":"clear"}');
  const { message, finishReason } = await inferChat(chatTask(messages, { tools }));
  expect(message).toEqual({
    role: 'assistant',
    content: 'According to get_weather, temperature is 18, wind speed kmh is 12 and sky is clear.',
  });
  expect(finishReason).toBe('stop');
});

test('calls a tool for a message after a tool result', async () => {
  const messages: ChatTask['messages'] = [
    ...withResult('{"sky":"clear"}'),
    { role: 'assistant', content: 'Clear.' },
    { role: 'user', content: 'And the weather in Rome?' },
  ];
  expect(await calledBy(chatTask(messages, { tools }))).toBe('get_weather');
});

test('does not repeat a call without a result', async () => {
  const messages = withResult('').slice(0, 2);
  expect((await inferChat(chatTask(messages, { tools }))).message.tool_calls).toBeUndefined();
});

test('answers in text with finish_reason length when the call does not fit in max_tokens', async () => {
  const wide = {
    ...weatherTool,
    function: { ...weatherTool.function, parameters: { required: ['a', 'b', 'c', 'd'] } },
  };
  const toolChoice = { mode: 'specific', name: 'get_weather' } as const;
  for (const maxTokens of [1, 5, 12]) {
    const { message, finishReason, usage } = await inferChat(
      chatTask('go', { tools: [wide], toolChoice, maxTokens }),
    );
    expect(message.tool_calls).toBeUndefined();
    expect(message.content).toMatch(/^A/);
    expect(finishReason).toBe('length');
    expect(usage.completion_tokens).toBeLessThanOrEqual(maxTokens);
  }
});

test('omits optional arguments when the call does not fit in max_tokens', async () => {
  const message = 'weather in Paris in celsius';
  const whole = await inferChat(chatTask(message, { tools }));
  const maxTokens = whole.usage.completion_tokens - 1;
  const { message: terse } = await inferChat(chatTask(message, { tools, maxTokens }));
  expect(whole.message.tool_calls?.[0]?.function.arguments).toBe('{"location":"Paris","unit":"celsius"}');
  expect(terse.tool_calls?.[0]?.function.arguments).toBe('{"location":"Paris"}');
});

test('ignores stop sequences in the arguments of a call', async () => {
  const task = chatTask('What is the weather in Paris?', { tools, stop: ['Paris', '{'] });
  expect((await inferChat(task)).message.tool_calls?.[0]?.function.arguments).toBe('{"location":"Paris"}');
});

test('does not call a tool with an unsatisfiable schema, and states that when a call was required', async () => {
  const never = {
    type: 'function',
    function: { name: 'get_weather', parameters: { properties: { a: { enum: [] } }, required: ['a'] } },
  } as const;
  const forced = await inferChat(chatTask('weather', { tools: [never], toolChoice: { mode: 'required' } }));
  expect(forced.message).toMatchObject({
    content: expect.stringContaining('get_weather, so it was not called'),
  });
  const { message } = await inferChat(chatTask('weather', { tools: [never] }));
  expect(message.content).not.toContain('not called');
});

test('gives way to other work between the tools', async () => {
  const properties = Object.fromEntries(
    Array.from({ length: 200 }, (_, index) => [
      `p${index}`,
      { description: 'which weather it was '.repeat(2) },
    ]),
  );
  const many = Array.from({ length: 128 }, (_, index) => ({
    type: 'function' as const,
    function: { name: `tool${index}`, parameters: { type: 'object', properties } },
  }));
  const { messages } = chatTask('Which weather was it in Paris?', {});
  const deciding = toolToCall(
    chatTask(messages, { tools: many }),
    readConversation(messages),
    new AbortController().signal,
  );
  let isDecided = false;
  void deciding.then(() => {
    isDecided = true;
  });
  let turns = 0;
  for (; !isDecided; turns++) await new Promise((resolve) => setImmediate(resolve));
  expect(turns).toBeGreaterThan(100);
});

test('does not call a tool with a hostile schema', async () => {
  const [name, parameters] = ['f', hostileSchemas['a constant object, referred to often']] as const;
  const hostile = {
    type: 'function' as const,
    function: { name, parameters: parameters as NonNullable<ToolDefinition['function']['parameters']> },
  };
  const toolChoice = { mode: 'specific', name } as const;
  const { message } = await inferChat(chatTask('go', { tools: [hostile], toolChoice }));
  expect(message.content).toContain('so it was not called');
});

async function calledBy(task: ChatTask) {
  return (await inferChat(task)).message.tool_calls?.[0]?.function.name;
}
