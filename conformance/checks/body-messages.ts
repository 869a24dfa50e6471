import type { ChatCompletionRequest } from '@paid-inference/contract/types';
import { observation } from '../engine/check.ts';
import { given } from '../engine/found.ts';
import { seen } from '../engine/verdict.ts';
import { chatBody, conversationBody, validRequest } from './bodies.ts';
import { accepts, answersTo, rejects } from './rejects.ts';
import { readsBodyFirst } from './sources.ts';

const chat = { endpoint: 'chat', twin: chatBody } as const;
const conversation = { endpoint: 'chat', twin: conversationBody } as const;

/** What messages must be (contract 2.2). */
export const bodyMessageChecks = [
  rejects('body.message.role.enum', 'A `role` outside the four is invalid', {
    ...chat,
    spoil: (body) => withLast(body, (message) => ({ ...message, role: 'narrator' })),
  }),
  rejects('body.message.role.required', 'A message without `role` is invalid', {
    ...chat,
    spoil: (body) => withLast(body, ({ role: _, ...rest }) => rest),
  }),
  rejects('body.message.content.required', 'A user message without `content` is invalid', {
    ...chat,
    spoil: (body) => withLast(body, ({ content: _, ...rest }) => rest),
  }),
  rejects('body.message.content.string', 'A `content` that is a number is invalid', {
    ...chat,
    spoil: (body) => withLast(body, (message) => ({ ...message, content: 7 })),
  }),
  accepts('body.message.name', 'A message may carry `name`', {
    twin: chatBody,
    bodies: (model) => [withLast(chatBody(model), (message) => ({ ...message, name: 'tester' }))],
  }),
  rejects('body.message.name.string', 'A `name` that is a number is invalid', {
    ...chat,
    spoil: (body) => withLast(body, (message) => ({ ...message, name: 7 })),
  }),
  rejects(
    'body.message.assistant.content-required',
    'An assistant message with neither `content` nor `tool_calls` is invalid',
    {
      endpoint: 'chat',
      twin: dialogueBody,
      spoil: withSilentAssistant,
    },
  ),
  rejects('body.message.tool.content-string', 'A tool result that is an object is invalid', {
    ...conversation,
    spoil: (body) => withLast(body, (message) => ({ ...message, content: { celsius: 4 } })),
  }),
  accepts(
    'body.message.assistant-tool-calls.content-optional',
    'An assistant message with `tool_calls` needs no `content`',
    { twin: wordyConversation, bodies: (model) => [conversationBody(model)] },
  ),
  rejects('body.message.tool_calls.assistant-only', 'A user message with `tool_calls` is invalid', {
    ...conversation,
    spoil: (body) => {
      const [user, assistant, ...rest] = body.messages;
      const calls = assistant?.role === 'assistant' ? assistant.tool_calls : undefined;
      return { ...body, messages: [{ ...user, tool_calls: calls }, assistant, ...rest] };
    },
  }),
  rejects('body.message.tool_calls.array', '`tool_calls` that are one object are invalid', {
    ...conversation,
    spoil: (body) => ({
      ...body,
      messages: body.messages.map((message) =>
        message.role === 'assistant' ? { ...message, tool_calls: message.tool_calls?.[0] } : message,
      ),
    }),
  }),
  rejects('body.message.tool_call_id.required', 'A tool message without `tool_call_id` is invalid', {
    ...conversation,
    spoil: (body) => withLast(body, ({ tool_call_id: _, ...rest }) => rest),
  }),
  rejects('body.message.tool_call_id.string', 'A `tool_call_id` that is a number is invalid', {
    ...conversation,
    spoil: (body) => withLast(body, (message) => ({ ...message, tool_call_id: 1 })),
  }),
  observation(
    'body.message.tool_call_id.matching',
    'What a result brings that no call asked for',
    (context) =>
      given(readsBodyFirst(context, 'chat'), async () => {
        const body = withLast(conversationBody(context.model), (message) => ({
          ...message,
          tool_call_id: 'call_2',
        }));
        const [answer] = await answersTo(context, [validRequest('chat', body)]);
        return seen(`${answer}`);
      }),
  ),
];

type Loose = Record<string, unknown>;

/** A conversation whose assistant said something beside its call. */
function wordyConversation(model: string): Loose {
  const body = conversationBody(model);
  const messages = body.messages.map((message) =>
    message.role === 'assistant' ? { ...message, content: 'One moment.' } : message,
  );
  return { ...body, messages };
}

/** The body with its last message changed. */
function withLast(body: ChatCompletionRequest, change: (message: Loose) => Loose): Loose {
  const last = body.messages.at(-1);
  return { ...body, messages: [...body.messages.slice(0, -1), change({ ...last })] };
}

/** A conversation in which the model has answered once. */
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

/** The body without the text of what the model said. */
function withSilentAssistant(body: ChatCompletionRequest): Loose {
  return {
    ...body,
    messages: body.messages.map((message) =>
      message.role === 'assistant' ? { role: message.role } : message,
    ),
  };
}
