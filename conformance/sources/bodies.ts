import { defaults, endpoints } from '@paid-inference/contract/constants';
import type {
  ChatCompletionRequest,
  CompletionRequest,
  ToolDefinition,
} from '@paid-inference/contract/types';
import type { Ask } from '../context/context.ts';

/** The paid endpoints, with the names that check titles use. */
export const paidEndpoints = {
  chat: { path: endpoints.createChatCompletion.path },
  completions: { path: endpoints.createCompletion.path },
} as const;
export type PaidEndpoint = keyof typeof paidEndpoints;
export const paidEndpointNames = ['chat', 'completions'] as const satisfies readonly PaidEndpoint[];

/** RFC 8259 §11: JSON has no such parameter, and adding one has no effect. */
export const charsetNamed = { 'Content-Type': 'application/json; charset=utf-8' } as const;

/** A cheap request with every optional field of §2.1 but the tools. */
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

/** Required fields only, with a task longer than the default `max_tokens` allows (§2.1, §8). */
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

/** A tool with every part of a definition that §2.3 names. */
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

/** A tool with two parameters. */
export const clockTool = {
  type: 'function',
  function: {
    name: 'get_time',
    description: 'Tells the time of a city, at an hour of a day.',
    parameters: {
      type: 'object',
      properties: {
        city: { type: 'string', description: 'Name of the city' },
        days: { type: 'integer', description: 'Days from today' },
      },
      required: ['city', 'days'],
    },
  },
} as const satisfies ToolDefinition;

export function toolBody(model: string): ChatCompletionRequest {
  return {
    model,
    messages: [{ role: 'user', content: 'What is the weather in Oslo? Call the tool.' }],
    // The default suffices for a call of this tool. The contract gives no upper limit (§8), but the default
    // must be valid.
    max_tokens: defaults.ChatCompletionRequest.max_tokens,
    tools: [weatherTool],
    tool_choice: 'auto',
  };
}

/** The same body without `tool_choice`. */
export function undecidedToolBody(model: string): ChatCompletionRequest {
  const { tool_choice: _, ...rest } = toolBody(model);
  return rest;
}

/** A conversation with a tool call and the result of the tool. */
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

/** A request that the contract allows. Sending it throws if the schema rejects the body. */
export function validRequest(
  endpoint: PaidEndpoint,
  body: unknown,
  headers?: Readonly<Record<string, string>>,
): Ask {
  const { path } = paidEndpoints[endpoint];
  return headers ? { path, body, headers } : { path, body };
}

/**
 * A request that the contract forbids. Sending it throws if the schema accepts the body. A string is sent
 * unchanged, anything else as JSON.
 */
export function invalidRequest(endpoint: PaidEndpoint, body: unknown): Ask {
  const { path } = paidEndpoints[endpoint];
  return typeof body === 'string' ? { path, text: body, claim: 'invalid' } : { path, body, claim: 'invalid' };
}

/** A request whose validity the contract leaves open. Only OBSERVED requirements may use it. */
export function openRequest(endpoint: PaidEndpoint, body: unknown): Ask {
  return { path: paidEndpoints[endpoint].path, body, claim: 'open' };
}

/** The reason why no schema can prove that a model is unknown. */
export const beyondCatalog = 'the catalog is data of the deployment (§1), so no schema lists it';

/** A text that programs often treat like a missing value (D-434). */
export const emptyText = { 'an empty text': '' } as const;

/** A name that each object of JavaScript has, so that a lookup in a table finds it (D-442). */
export const inheritedName = { 'the name of an inherited member': 'constructor' } as const;

/** Values of a wrong type, including values that a program may convert to the right type by accident. */
export const wrong = {
  integer: { 'a fraction': 1.5, 'a numeral in a string': '16', true: true, ...emptyText },
  number: { 'a word': 'hot', 'a numeral in a string': '1', true: true, ...emptyText },
  /** A single string is left out: many servers read it as one sequence (D-10). */
  stop: { 'a number': 7, 'an object': { sequence: '\n\n' } },
} as const;

/** Bodies that are JSON, but no object. */
export const noBody = {
  'a body in an array': (body: object) => [body],
  'a body in a string': (body: object) => JSON.stringify(JSON.stringify(body)),
  'null for a body': () => null,
} as const;

/** Bodies that are no JSON. */
export const noJson = {
  'a body that ends early': (body: object) => JSON.stringify(body).slice(0, -1),
  'an empty body': () => '',
} as const;

/** Bodies that a lenient parser accepts as JSON. */
export const nearlyJson = {
  'a comma after the last member': (body: object) => `${JSON.stringify(body).slice(0, -1)},}`,
  'text after the object': (body: object) => `${JSON.stringify(body)} end`,
  'a comment': (body: object) => `/* a chat */ ${JSON.stringify(body)}`,
  'single quotes': (body: object) => JSON.stringify(body).replaceAll('"', "'"),
} as const;

/** Adds a member whose number is no JSON. */
function withNumber(member: string) {
  return (body: object): string => `${JSON.stringify(body).slice(0, -1)},${member}}`;
}

/** More of them, of which each endpoint gets a part: a parser reads the bodies of both endpoints (D-230). */
export const nearlyJsonOf = {
  chat: {
    'NaN as a number': (body: object) => JSON.stringify(body).replace('"temperature":1', '"temperature":NaN'),
    'Infinity as a number': withNumber('"top_p":Infinity'),
    '-Infinity within a tool': withNumber(
      `"tools":[${JSON.stringify(weatherTool).replace('"type":"string"', '"type":"number","minimum":-Infinity')}]`,
    ),
  },
  completions: {
    'a line break in a string': (body: object) => JSON.stringify(body).replace('\\n', '\n'),
    'a tab in a string': (body: object) => JSON.stringify(body).replace('two', '\t'),
    'NaN as a number': withNumber('"top_p":NaN'),
  },
} as const;

/** Models that no catalog contains. */
export const noEntries = {
  'no entry': () => 'no-such-provider/no-such-model',
  'no model of its provider': (model: string) => `${model.split('/')[0]}/no-such-model-84532`,
  'a name that goes on': (model: string) => `${model}-no-such-model-84532`,
  'an entry between blanks': (model: string) => ` ${model} `,
  // Names that every object of JavaScript has.
  constructor: () => 'constructor',
  'the name of a prototype': () => '__proto__',
} as const;

/** Words with a meaning for tokenizers. In a prompt they are text like any other (§2.2, D-434). */
export const specialTokens = '<|endoftext|> <|im_start|> [INST] <s>';

export const question = { role: 'user', content: 'Say pong.' } as const;

/** A chat with one user message and no optional fields. A check adds the one field that it tests. */
export function plainChat(model: string): ChatCompletionRequest {
  return { model, messages: [question] };
}

export function plainText(model: string): CompletionRequest {
  return { model, prompt: 'One, two, three,' };
}
