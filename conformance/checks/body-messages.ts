import type { ChatCompletionRequest } from '@paid-inference/contract/types';
import { chatBody, conversationBody, toolBody } from './bodies.ts';
import { accepts, rejects } from './rejects.ts';

const chat = { endpoint: 'chat', twin: chatBody } as const;
const conversation = { endpoint: 'chat', twin: conversationBody } as const;
const withTool = { endpoint: 'chat', twin: toolBody } as const;

/** What messages and tools must be (contract 2.2 to 2.4). */
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
  accepts('body.message.name', 'A message may carry `name`', (model) => [
    withLast(chatBody(model), (message) => ({ ...message, name: 'tester' })),
  ]),
  accepts(
    'body.message.assistant-tool-calls.content-optional',
    'An assistant message with `tool_calls` needs no `content`',
    (model) => [conversationBody(model)],
  ),
  rejects('body.message.tool_calls.assistant-only', 'A user message with `tool_calls` is invalid', {
    ...conversation,
    spoil: (body) => {
      const [user, assistant, ...rest] = body.messages;
      const calls = assistant?.role === 'assistant' ? assistant.tool_calls : undefined;
      return { ...body, messages: [{ ...user, tool_calls: calls }, assistant, ...rest] };
    },
  }),
  rejects('body.message.tool_call_id.required', 'A tool message without `tool_call_id` is invalid', {
    ...conversation,
    spoil: (body) => withLast(body, ({ tool_call_id: _, ...rest }) => rest),
  }),
  rejects('body.tool.type', 'A tool whose `type` is not `function` is invalid', {
    ...withTool,
    spoil: (body) => ({ ...body, tools: [{ ...body.tools?.[0], type: 'procedure' }] }),
  }),
  rejects('body.tool.function-name', 'A tool whose function has no `name` is invalid', {
    ...withTool,
    spoil: (body) => {
      const tool = body.tools?.[0];
      const { name: _, ...rest } = { ...tool?.function };
      return { ...body, tools: [{ ...tool, function: rest }] };
    },
  }),
  accepts('body.tool.accepted', 'A tool with name, description and parameters is accepted', (model) => [
    toolBody(model),
  ]),
  rejects('body.tool-call.arguments-string', '`function.arguments` that are an object are invalid', {
    ...conversation,
    spoil: (body) => ({
      ...body,
      messages: body.messages.map((message) =>
        message.role === 'assistant'
          ? { ...message, tool_calls: message.tool_calls?.map(withObjectArguments) }
          : message,
      ),
    }),
  }),
];

type Loose = Record<string, unknown>;

/** The body with its last message changed. */
function withLast(body: ChatCompletionRequest, change: (message: Loose) => Loose): Loose {
  const last = body.messages.at(-1);
  return { ...body, messages: [...body.messages.slice(0, -1), change({ ...last })] };
}

function withObjectArguments(call: { readonly function: { readonly name: string } }): Loose {
  return { ...call, function: { ...call.function, arguments: { city: 'Oslo' } } };
}
