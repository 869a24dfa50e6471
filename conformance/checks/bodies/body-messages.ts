import type { ChatCompletionRequest, Message } from '@paid-inference/contract/types';
import { observation } from '../../context/check.ts';
import { chatBody, conversationBody, emptyText, inheritedName } from '../../sources/bodies.ts';
import { observes } from './observe-bodies.ts';
import { accepts, lacking, putting, rejects, type Spoils, within } from './rejects.ts';

const chat = { endpoint: 'chat', twin: chatBody } as const;
const conversation = { endpoint: 'chat', twin: briefedConversation } as const;
const dialogue = { endpoint: 'chat', twin: dialogueBody } as const;

/** Content of similar interfaces. */
const parts = [{ type: 'text', text: 'Say pong.' }];

/** Checks of messages (§2.2). */
export const bodyMessageChecks = [
  rejects('body.message.role.enum', 'A `role` other than the four of the contract is invalid', {
    ...chat,
    spoils: of(
      'user',
      putting('role', {
        // A search for the word, or a comparison without blanks, also finds it here (D-230).
        'a word and a blank': 'user ',
        // In many languages, `$` in a pattern also matches before the last line break.
        'a word and a line break': 'user\n',
        // Roles of similar interfaces.
        developer: 'developer',
        function: 'function',
        'another case': 'User',
        'a word outside ASCII': 'benützer',
        'a number': 7,
        'a role in an array': ['user'],
        true: true,
        ...emptyText,
        ...inheritedName,
      }),
    ),
  }),
  rejects('body.message.role.required', 'A message without `role` is invalid', {
    ...chat,
    spoils: of('user', {
      ...lacking('role'),
      ...putting('role', { null: null }),
      '`ROLE` instead of `role`': () => ({ content: 'Say pong.', ROLE: 'user' }),
    }),
  }),
  rejects('body.message.content.required', 'A message without `content` is invalid', {
    ...conversation,
    spoils: {
      ...of('user', lacking('content')),
      ...of('system', lacking('content')),
      ...of('tool', lacking('content')),
    },
  }),
  rejects('body.message.content.string', 'A `content` that is no string is invalid', {
    ...conversation,
    spoils: {
      ...of('user', putting('content', { 'a number': 7, null: null, 'an array': parts })),
      ...of('system', putting('content', { 'a number': 7, null: null, 'an array': parts })),
      ...of('assistant', putting('content', { 'a number': 7, 'an array': parts })),
    },
  }),
  accepts('body.message.name', 'A message may have `name`', {
    twin: chatBody,
    bodies: (model) => [onMessages(chatBody(model), 'user', (message) => ({ ...message, name: 'tester' }))],
  }),
  rejects('body.message.name.string', 'A `name` that is no string is invalid', {
    ...conversation,
    spoils: {
      ...of('user', putting('name', { 'a number': 7, 'an array': ['tester'] })),
      ...of('system', putting('name', { 'a number': 7 })),
      ...of('assistant', putting('name', { 'a number': 7 })),
      ...of('tool', putting('name', { 'a number': 7 })),
    },
  }),
  rejects(
    'body.message.assistant.content-required',
    'An assistant message with neither `content` nor `tool_calls` is invalid',
    {
      ...dialogue,
      spoils: of('assistant', {
        ...lacking('content'),
        ...putting('content', { null: null }),
        'an empty array of `tool_calls` instead of `content`': () => ({ role: 'assistant', tool_calls: [] }),
        // Members of similar interfaces.
        '`function_call` instead of `content`': () => ({
          role: 'assistant',
          function_call: { name: 'get_weather', arguments: '{}' },
        }),
        '`refusal` instead of `content`': () => ({ role: 'assistant', refusal: 'No.' }),
      }),
    },
  ),
  rejects('body.message.tool.content-string', 'A tool result that is no string is invalid', {
    ...conversation,
    spoils: of(
      'tool',
      putting('content', { 'an object': { celsius: 4 }, 'a number': 4, null: null, 'an array': parts }),
    ),
  }),
  accepts(
    'body.message.assistant-tool-calls.content-optional',
    'An assistant message with `tool_calls` needs no `content`',
    { twin: wordyConversation, bodies: (model) => [conversationBody(model)] },
  ),
  rejects(
    'body.message.tool_calls.assistant-only',
    'A message of another role with `tool_calls` is invalid',
    {
      ...conversation,
      spoils: { ...calledBy('user'), ...calledBy('system'), ...calledBy('tool') },
    },
  ),
  rejects('body.message.tool_calls.array', '`tool_calls` that are no array of objects are invalid', {
    ...conversation,
    spoils: {
      '`tool_calls` as one object': (body) =>
        onMessages(body, 'assistant', (message) => ({ ...message, tool_calls: findCalls(body)?.[0] })),
      ...of(
        'assistant',
        putting('tool_calls', { 'a string': 'get_weather', 'an array of strings': ['get_weather'] }),
      ),
    },
  }),
  observation('body.message.nulls', 'Optional fields of a message that may be null', (context) => {
    const dialogued = dialogueBody(context.model);
    return observes(context, 'chat', {
      '`name`': onMessages(dialogued, 'user', (message) => ({ ...message, name: null })),
      '`tool_calls`': onMessages(dialogued, 'assistant', (message) => ({ ...message, tool_calls: null })),
    });
  }),
  observation('body.message.tool_calls.empty', 'Response to an empty array of tool calls', (context) => {
    const body = dialogueBody(context.model);
    return observes(context, 'chat', {
      'no calls': onMessages(body, 'assistant', (message) => ({ ...message, tool_calls: [] })),
    });
  }),
  rejects('body.message.tool_call_id.required', 'A tool message without `tool_call_id` is invalid', {
    ...conversation,
    spoils: of('tool', lacking('tool_call_id')),
  }),
  rejects(
    'body.message.tool_call_id.required',
    'A tool message without `tool_call_id` is invalid without `tools`',
    {
      endpoint: 'chat',
      twin: toollessConversation,
      // A member of similar interfaces.
      spoils: of('tool', {
        '`name` instead of `tool_call_id`': () => ({ role: 'tool', name: 'get_weather', content: '{}' }),
      }),
    },
  ),
  rejects('body.message.tool_call_id.string', 'A `tool_call_id` that is no string is invalid', {
    ...conversation,
    spoils: of('tool', putting('tool_call_id', { 'a number': 1, null: null })),
  }),
  observation(
    'body.message.tool_call_id.matching',
    'Response to a tool result without its tool call',
    (context) => {
      const body = conversationBody(context.model);
      return observes(context, 'chat', {
        'another id': onMessages(body, 'tool', (message) => ({ ...message, tool_call_id: 'call_2' })),
      });
    },
  ),
];

type Role = Message['role'];

/** Applies faults of a message to every message of a role. */
function of(role: Role, spoils: Spoils<object>): Spoils<ChatCompletionRequest> {
  return within(`(${role})`, (body, spoil) => onMessages(body, role, spoil), spoils);
}

function onMessages(
  body: ChatCompletionRequest,
  role: Role,
  change: (message: object) => unknown,
): Record<string, unknown> {
  return {
    ...body,
    messages: body.messages.map((message) => (message.role === role ? change(message) : message)),
  };
}

/** Adds the assistant's tool calls to messages of another role. */
function calledBy(role: Role): Spoils<ChatCompletionRequest> {
  return {
    [`\`tool_calls\` (${role})`]: (body) =>
      onMessages(body, role, (message) => ({ ...message, tool_calls: findCalls(body) })),
  };
}

function findCalls({ messages }: ChatCompletionRequest) {
  return messages.flatMap((message) =>
    message.role === 'assistant' && message.tool_calls ? [message.tool_calls] : [],
  )[0];
}

/** A conversation with messages of every role. */
function briefedConversation(model: string): ChatCompletionRequest {
  const body = conversationBody(model);
  return { ...body, messages: [{ role: 'system', content: 'You tell the weather.' }, ...body.messages] };
}

/** A conversation with a tool call and its result, without the definition of the tool. */
function toollessConversation(model: string): ChatCompletionRequest {
  const { tools: _, ...rest } = conversationBody(model);
  return rest;
}

/** A conversation whose assistant message has content and a tool call. */
function wordyConversation(model: string): Record<string, unknown> {
  return onMessages(conversationBody(model), 'assistant', (message) => ({
    ...message,
    content: 'One moment.',
  }));
}

/** A conversation with one assistant message. */
function dialogueBody(model: string): ChatCompletionRequest {
  const { messages, ...rest } = chatBody(model);
  const [, question] = messages;
  return {
    ...rest,
    messages: [
      { role: 'user', content: 'Say ping.' },
      { role: 'assistant', content: 'Ping.' },
      ...(question ? [question] : []),
    ],
  };
}
