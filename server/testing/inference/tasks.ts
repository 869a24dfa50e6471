import type { ToolDefinition } from '@paid-inference/contract/types';
import type { ChatTask, TextTask } from '../../inference/engine.ts';

// For tests: tasks with defaults, so that a test sets only what matters to it.

export function chatTask(messages: string | ChatTask['messages'], change: Partial<ChatTask> = {}): ChatTask {
  return {
    kind: 'chat',
    model: 'alder/alder-mini',
    messages: typeof messages === 'string' ? [{ role: 'user', content: messages }] : messages,
    maxTokens: 100,
    temperature: 0,
    stop: [],
    fields: {},
    tools: [],
    toolChoice: { mode: (change.tools?.length ?? 0) > 0 ? 'auto' : 'none' },
    ...change,
  };
}

export function textTask(prompt: string, change: Partial<TextTask> = {}): TextTask {
  const task = { kind: 'text', model: 'alder/alder-mini', prompt } as const;
  return { ...task, maxTokens: 100, temperature: 0, stop: [], fields: {}, ...change };
}

export const weatherTool: ToolDefinition = {
  type: 'function',
  function: {
    name: 'get_weather',
    description: 'Get the current weather in a given location',
    parameters: {
      type: 'object',
      properties: {
        location: { type: 'string', description: 'The city and state, e.g. San Francisco, CA' },
        unit: { type: 'string', enum: ['celsius', 'fahrenheit'] },
      },
      required: ['location'],
    },
  },
};

export const addTool: ToolDefinition = {
  type: 'function',
  function: {
    name: 'add',
    description: 'Add two numbers',
    parameters: {
      type: 'object',
      properties: { a: { type: 'number' }, b: { type: 'number' } },
      required: ['a', 'b'],
    },
  },
};

/** A conversation that ends with the result of a tool call. */
export function withResult(content: string): ChatTask['messages'] {
  const call = {
    id: 'call_1',
    type: 'function',
    function: { name: 'get_weather', arguments: '{}' },
  } as const;
  return [
    { role: 'user', content: 'What is the weather in Paris?' },
    { role: 'assistant', content: null, tool_calls: [call] },
    { role: 'tool', tool_call_id: 'call_1', content },
  ];
}
