import type { ToolDefinition } from '@paid-inference/contract/types';
import { expect, test } from 'vitest';
import { inferChat } from '../../testing/inference/inference.ts';
import { addTool, chatTask, weatherTool, withResult } from '../../testing/inference/tasks.ts';
import type { ChatTask } from '../engine.ts';
import { toolToCall } from './call-tool.ts';
import { readConversation } from './conversation.ts';
import { hostileSchemas } from './hostile-schemas.ts';

const tools = [addTool, weatherTool];

test('auto calls the tool that the message is about', async () => {
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
  'auto answers %j in text',
  async (content) => {
    const inferred = await inferChat(chatTask(content, { tools }));
    expect(inferred.message.tool_calls).toBeUndefined();
    expect(inferred.message.content).toEqual(expect.any(String));
  },
);

test('none never calls', async () => {
  const task = chatTask('What is the weather in Paris?', { tools, toolChoice: { mode: 'none' } });
  expect((await inferChat(task)).message.tool_calls).toBeUndefined();
});

test('a specific tool is called whatever the message is about', async () => {
  const toolChoice = { mode: 'specific', name: 'add' } as const;
  expect(await calledBy(chatTask('What is the weather in Paris?', { tools, toolChoice }))).toBe('add');
});

test('required calls the one that fits best, and some tool where none fits', async () => {
  const toolChoice = { mode: 'required' } as const;
  expect(await calledBy(chatTask('Is it the weather for a walk?', { tools, toolChoice }))).toBe(
    'get_weather',
  );
  expect(await calledBy(chatTask('Hello!', { tools, toolChoice }))).toBe('add');
});

test('a result is told in text, with its values, and the tool is not called again', async () => {
  const messages = withResult('{"temperature":18,"wind":{"speed_kmh":12},"sky":"clear"}');
  const { message, finishReason } = await inferChat(chatTask(messages, { tools }));
  expect(message).toEqual({
    role: 'assistant',
    content: 'According to get_weather, temperature is 18, wind speed kmh is 12 and sky is clear.',
  });
  expect(finishReason).toBe('stop');
});

test('a message behind a result is open again', async () => {
  const messages: ChatTask['messages'] = [
    ...withResult('{"sky":"clear"}'),
    { role: 'assistant', content: 'Clear.' },
    { role: 'user', content: 'And the weather in Rome?' },
  ];
  expect(await calledBy(chatTask(messages, { tools }))).toBe('get_weather');
});

test('a call that is still unanswered is not made twice', async () => {
  const messages = withResult('').slice(0, 2);
  expect((await inferChat(chatTask(messages, { tools }))).message.tool_calls).toBeUndefined();
});

test('arguments that do not fit in max_tokens are no call: the answer says so, and why it ended', async () => {
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

test('what was merely mentioned is left out before a call is given up', async () => {
  const message = 'weather in Paris in celsius';
  const whole = await inferChat(chatTask(message, { tools }));
  const maxTokens = whole.usage.completion_tokens - 1;
  const { message: terse } = await inferChat(chatTask(message, { tools, maxTokens }));
  expect(whole.message.tool_calls?.[0]?.function.arguments).toBe('{"location":"Paris","unit":"celsius"}');
  expect(terse.tool_calls?.[0]?.function.arguments).toBe('{"location":"Paris"}');
});

test('stop sequences end text, never the arguments of a call', async () => {
  const task = chatTask('What is the weather in Paris?', { tools, stop: ['Paris', '{'] });
  expect((await inferChat(task)).message.tool_calls?.[0]?.function.arguments).toBe('{"location":"Paris"}');
});

test('a schema that nothing satisfies is not called, and where a call was asked for the answer says so', async () => {
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

test('others have their turn between the tools that are looked at', async () => {
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

test('a hostile schema is a tool that cannot be called', async () => {
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
