import type { ChatCompletionRequest } from '@paid-inference/contract/types';
import {
  chatBody,
  completionBody,
  conversationBody,
  emptyText,
  toolBody,
  weatherTool,
} from '../../sources/bodies.ts';
import { putting, rejects, type Spoils, within } from './rejects.ts';
import { ofTwo } from './valid-edges.ts';

/** A value that a program may treat as absent, and so leave unchecked. */
const falsy = { false: false };
const chat = { endpoint: 'chat', twin: chatBody } as const;
const tooled = { endpoint: 'chat', twin: toolBody } as const;
const text = { endpoint: 'completions', twin: completionBody } as const;

/**
 * A conversation whose assistant message has content and a call, so that no other rule refuses a broken call.
 */
function wordyConversation(model: string): ChatCompletionRequest {
  const body = conversationBody(model);
  return {
    ...body,
    messages: body.messages.map((message) =>
      message.role === 'assistant' ? { ...message, content: 'One moment.' } : message,
    ),
  };
}

function ofAssistant(spoils: Spoils<object>): Spoils<ChatCompletionRequest> {
  return within(
    'beside `content`',
    ({ messages, ...rest }: ChatCompletionRequest, spoil) => ({
      ...rest,
      messages: messages.map((message) => (message.role === 'assistant' ? spoil(message) : message)),
    }),
    spoils,
  );
}

function ofQuestion(spoils: Spoils<object>): Spoils<ChatCompletionRequest> {
  return within(
    '(user)',
    ({ messages, ...rest }: ChatCompletionRequest, spoil) => ({
      ...rest,
      messages: messages.map((message) => (message.role === 'user' ? spoil(message) : message)),
    }),
    spoils,
  );
}

/** Changes the second call only; everything else is valid. */
function ofSecondCall(spoils: Spoils<object>): Spoils<ChatCompletionRequest> {
  return within(
    '(second call)',
    ({ messages, ...rest }: ChatCompletionRequest, spoil) => ({
      ...rest,
      messages: messages.map((message) =>
        message.role === 'assistant' && message.tool_calls
          ? { ...message, tool_calls: message.tool_calls.map((call, at) => (at === 1 ? spoil(call) : call)) }
          : message,
      ),
    }),
    spoils,
  );
}

function ofSecondTool(spoils: Spoils<object>): Spoils<ChatCompletionRequest> {
  return within(
    '(second tool)',
    ({ tools = [], ...rest }: ChatCompletionRequest, spoil) => ({
      ...rest,
      tools: tools.map((tool, at) => (at === 1 ? spoil(tool) : tool)),
    }),
    spoils,
  );
}

/** Checks of wrong types where another field or a default may hide them (§2.1, §2.2, §2.5). */
export const wrongTypeChecks = [
  rejects('body.message.tool_calls.array', '`tool_calls` that are no array are invalid beside `content`', {
    endpoint: 'chat',
    twin: wordyConversation,
    spoils: ofAssistant(
      putting('tool_calls', {
        'an object': {},
        'an object with a call as member 0': { 0: { id: 'call_1', type: 'function' } },
        'a string': 'get_weather',
        'a number': 1,
        true: true,
        ...falsy,
        ...emptyText,
      }),
    ),
  }),
  rejects(
    'body.tool-call.arguments-string',
    'A second call without `function.arguments` as text is invalid',
    {
      endpoint: 'chat',
      twin: ofTwo.calls,
      spoils: ofSecondCall(
        putting('function', {
          'a name alone': { name: 'get_weather' },
          'arguments that are an object': { name: 'get_weather', arguments: { city: 'Oslo' } },
        }),
      ),
    },
  ),
  rejects('body.tool.function-name', 'A second tool without a `function` that has a name is invalid', {
    endpoint: 'chat',
    twin: ofTwo.tools,
    spoils: ofSecondTool(putting('function', { 'a string': 'get_time', 'a number as name': { name: 7 } })),
  }),
  rejects('body.chat.tools.array', '`tools` that are an empty object, false or an empty text are invalid', {
    ...tooled,
    spoils: putting('tools', {
      'an empty object': {},
      'an object with a tool as member 0': { 0: weatherTool },
      ...falsy,
      ...emptyText,
    }),
  }),
  rejects('body.chat.tool_choice.string', 'A `tool_choice` that is an array or false is invalid', {
    ...tooled,
    spoils: putting('tool_choice', { 'an array': ['auto'], ...falsy }),
  }),
  rejects('body.chat.max_tokens.integer', 'A `max_tokens` of false is invalid', {
    ...chat,
    spoils: putting('max_tokens', falsy),
  }),
  rejects('body.chat.temperature.number', 'A `temperature` of false is invalid', {
    ...chat,
    spoils: putting('temperature', falsy),
  }),
  rejects('body.chat.stop.array', 'A `stop` of false is invalid', {
    ...chat,
    spoils: putting('stop', falsy),
  }),
  rejects('body.message.name.string', 'A `name` of false is invalid', {
    ...chat,
    spoils: ofQuestion(putting('name', falsy)),
  }),
  rejects('body.message.content.string', 'A `content` of false, or as an object, is invalid', {
    ...chat,
    spoils: ofQuestion(putting('content', { 'an object': { text: 'Say pong.' }, ...falsy })),
  }),
  rejects('body.message.content.string', 'A `content` of false beside `tool_calls` is invalid', {
    endpoint: 'chat',
    twin: wordyConversation,
    spoils: ofAssistant(putting('content', falsy)),
  }),
  rejects('body.completions.max_tokens.integer', 'A `max_tokens` of false is invalid', {
    ...text,
    spoils: putting('max_tokens', falsy),
  }),
  rejects('body.completions.temperature.number', 'A `temperature` of false is invalid', {
    ...text,
    spoils: putting('temperature', falsy),
  }),
  rejects('body.completions.stop.array', 'A `stop` of false is invalid', {
    ...text,
    spoils: putting('stop', falsy),
  }),
  rejects('body.completions.prompt.string', 'A `prompt` of false is invalid', {
    ...text,
    spoils: putting('prompt', falsy),
  }),
];
