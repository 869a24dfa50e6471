import { endpoints } from '@paid-inference/contract/constants';
import type {
  ChatCompletionRequest,
  CompletionRequest,
  ToolDefinition,
} from '@paid-inference/contract/types';
import {
  ChatCompletionRequest as isChatRequest,
  CompletionRequest as isCompletionRequest,
  type Validate,
} from '@paid-inference/contract/validators';
import type { Ask } from '../engine/context.ts';

/** The paid endpoints, by the names that this suite uses in titles. */
export const paidEndpoints = {
  chat: { path: endpoints.createChatCompletion.path, isValid: isChatRequest as Validate<unknown> },
  completions: { path: endpoints.createCompletion.path, isValid: isCompletionRequest as Validate<unknown> },
} as const;
export type PaidEndpoint = keyof typeof paidEndpoints;
export const paidEndpointNames = ['chat', 'completions'] as const satisfies readonly PaidEndpoint[];

/** Small, so that an answer costs little; every optional field of contract 2.1 but the tools. */
export function chatBody(model: string): ChatCompletionRequest {
  return {
    model,
    messages: [
      { role: 'system', content: 'You answer in one word.' },
      { role: 'user', content: 'Say pong.' },
    ],
    max_tokens: 16,
    temperature: 1,
    stop: ['\n\n'],
  };
}

export function completionBody(model: string): CompletionRequest {
  return { model, prompt: 'One, two, three,', max_tokens: 16, temperature: 1, stop: ['\n\n'] };
}

/** A valid body for either endpoint. */
export function bodyFor(endpoint: PaidEndpoint, model: string): ChatCompletionRequest | CompletionRequest {
  return endpoint === 'chat' ? chatBody(model) : completionBody(model);
}

/** With every part of a tool definition that contract 2.3 names. */
export const weatherTool = {
  type: 'function',
  function: {
    name: 'get_weather',
    description: 'Tells the current weather of a city.',
    parameters: {
      type: 'object',
      properties: { city: { type: 'string', description: 'Name of the city' } },
      required: ['city'],
    },
  },
} as const satisfies ToolDefinition;

export function toolBody(model: string): ChatCompletionRequest {
  return {
    model,
    messages: [{ role: 'user', content: 'What is the weather in Oslo? Call the tool.' }],
    max_tokens: 64,
    tools: [weatherTool],
    tool_choice: 'auto',
  };
}

/** A conversation in which a tool was called and has answered. */
export function conversationBody(model: string): ChatCompletionRequest {
  return {
    model,
    messages: [
      { role: 'user', content: 'What is the weather in Oslo?' },
      { role: 'assistant', tool_calls: [weatherCall] },
      { role: 'tool', tool_call_id: weatherCall.id, content: '{"celsius":4}' },
    ],
    max_tokens: 16,
    tools: [weatherTool],
  };
}

const weatherCall = {
  id: 'call_1',
  type: 'function',
  function: { name: 'get_weather', arguments: '{"city":"Oslo"}' },
} as const;

/**
 * A request that the contract allows. A body that its validator rejects is a fault of this suite, and thrown: nothing may
 * be held against a target that we asked wrongly.
 */
export function validRequest(
  endpoint: PaidEndpoint,
  body: unknown,
  headers?: Readonly<Record<string, string>>,
): Ask {
  const { path, isValid } = paidEndpoints[endpoint];
  if (!isValid(body)) throw new Error(`the suite made an invalid body for ${path}`);
  return headers ? { path, body, headers } : { path, body };
}

/**
 * A request that the contract forbids, proven by its validator a moment before it is sent. A body that is valid after
 * all is a fault of this suite, and thrown.
 */
export function invalidRequest(endpoint: PaidEndpoint, body: unknown): Ask {
  const { path, isValid } = paidEndpoints[endpoint];
  if (isValid(body)) throw new Error(`the suite's invalid body for ${path} is valid`);
  return { path, body };
}
