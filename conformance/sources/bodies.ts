import { defaults, endpoints } from '@paid-inference/contract/constants';
import type {
  ChatCompletionRequest,
  CompletionRequest,
  ToolDefinition,
} from '@paid-inference/contract/types';
import type { Ask } from '../context/context.ts';

/** The paid endpoints, by the names that this suite uses in titles. */
export const paidEndpoints = {
  chat: { path: endpoints.createChatCompletion.path },
  completions: { path: endpoints.createCompletion.path },
} as const;
export type PaidEndpoint = keyof typeof paidEndpoints;
export const paidEndpointNames = ['chat', 'completions'] as const satisfies readonly PaidEndpoint[];

/** A gateway that trusts this header takes its own address from it, and may name that address in its offer. */
export const forwardedHost = 'X-Forwarded-Host';

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

/** With nothing but what is required, and more to say than the default lets through (contract 2.1, 8). */
export function bareBody(model: string): ChatCompletionRequest {
  return { model, messages: [{ role: 'user', content: 'Count from one to three hundred, in words.' }] };
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
    // Enough for a call of this tool. Which numbers are too many is not shown (contract 8), save that the default is not.
    max_tokens: defaults.ChatCompletionRequest.max_tokens,
    tools: [weatherTool],
    tool_choice: 'auto',
  };
}

/** The same without a word on whether to call. */
export function undecidedToolBody(model: string): ChatCompletionRequest {
  const { tool_choice: _, ...rest } = toolBody(model);
  return rest;
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

/** A request that the contract allows: sending it proves so, and throws where it is not. */
export function validRequest(
  endpoint: PaidEndpoint,
  body: unknown,
  headers?: Readonly<Record<string, string>>,
): Ask {
  const { path } = paidEndpoints[endpoint];
  return headers ? { path, body, headers } : { path, body };
}

/**
 * A request that the contract forbids: sending it proves so, and throws where the body is valid after all. A string is
 * sent as it stands, anything else as JSON.
 */
export function invalidRequest(endpoint: PaidEndpoint, body: unknown): Ask {
  const { path } = paidEndpoints[endpoint];
  return typeof body === 'string' ? { path, text: body, claim: 'invalid' } : { path, body, claim: 'invalid' };
}

/** A request of which the contract does not say whether it is valid. Only what is observed may rest on one. */
export function openRequest(endpoint: PaidEndpoint, body: unknown): Ask {
  return { path: paidEndpoints[endpoint].path, body, claim: 'open' };
}

/** Why no validator can prove that a model is unknown. */
export const beyondCatalog = 'the catalog is data of the deployment (contract 1), so that no schema lists it';

/** Values of other types than a field's, those that a program may turn into one of its own by accident among them. */
export const wrong = {
  integer: { 'a fraction': 1.5, 'a numeral in a string': '16', true: true },
  number: { 'a word': 'hot', 'a numeral in a string': '1', true: true },
  /** One string is left out: it is often taken for one sequence (D-10). */
  stop: { 'a number': 7, 'an object': { sequence: '\n\n' } },
} as const;

/** What is JSON, and no object: a body that has none of its fields. */
export const noBody = {
  'a body in an array': (body: object) => [body],
  'a body in a string': (body: object) => JSON.stringify(JSON.stringify(body)),
  'null for a body': () => null,
} as const;

/** What is no JSON. */
export const noJson = {
  'a body that ends early': (body: object) => JSON.stringify(body).slice(0, -1),
  'an empty body': () => '',
} as const;

/** What is nearly JSON, and what a program that is generous takes for it. */
export const nearlyJson = {
  'a comma after the last member': (body: object) => `${JSON.stringify(body).slice(0, -1)},}`,
  'text after the object': (body: object) => `${JSON.stringify(body)} end`,
  'a comment': (body: object) => `/* a chat */ ${JSON.stringify(body)}`,
  'single quotes': (body: object) => JSON.stringify(body).replaceAll('"', "'"),
} as const;

/** Models that no catalog has, whatever its other entries are. */
export const noEntries = {
  'no entry': () => 'no-such-provider/no-such-model',
  'no model of its provider': (model: string) => `${model.split('/')[0]}/no-such-model-84532`,
  'a name that goes on': (model: string) => `${model}-no-such-model-84532`,
} as const;

export const question = { role: 'user', content: 'Say pong.' } as const;

/** A chat with one question and nothing optional: what is added to it is the one thing that a check asks about. */
export function plainChat(model: string): ChatCompletionRequest {
  return { model, messages: [question] };
}

export function plainText(model: string): CompletionRequest {
  return { model, prompt: 'One, two, three,' };
}
