import type { ChatCompletionRequest } from '@paid-inference/contract/types';
import { chatBody, conversationBody, toolBody, undecidedToolBody } from './bodies.ts';
import { accepts, rejects } from './rejects.ts';

const withTool = { endpoint: 'chat', twin: toolBody } as const;
const conversation = { endpoint: 'chat', twin: conversationBody } as const;

/** What tool definitions and tool calls must be (contract 2.3, 2.4). */
export const bodyToolChecks = [
  rejects('body.tool.type', 'A tool whose `type` is not `function` is invalid', {
    ...withTool,
    spoil: (body) => withFirstTool(body, (tool) => ({ ...tool, type: 'procedure' })),
  }),
  rejects('body.tool.function-name', 'A tool whose function has no `name` is invalid', {
    ...withTool,
    spoil: (body) => withFunction(body, ({ name: _, ...rest }) => rest),
  }),
  rejects('body.tool.function-description', 'A `description` of a function that is a number is invalid', {
    ...withTool,
    spoil: (body) => withFunction(body, (described) => ({ ...described, description: 7 })),
  }),
  rejects('body.tool.function-parameters', '`parameters` of a function that are a string are invalid', {
    ...withTool,
    spoil: (body) => withFunction(body, (described) => ({ ...described, parameters: 'city' })),
  }),
  accepts('body.tool.accepted', 'A tool with name, description and parameters is accepted', {
    twin: chatBody,
    bodies: (model) => [undecidedToolBody(model)],
  }),
  rejects('body.tool-call.id', 'A tool call without `id` is invalid', {
    ...conversation,
    spoil: (body) => withCalls(body, ({ id: _, ...rest }) => rest),
  }),
  rejects('body.tool-call.type', 'A tool call whose `type` is not `function` is invalid', {
    ...conversation,
    spoil: (body) => withCalls(body, (call) => ({ ...call, type: 'procedure' })),
  }),
  rejects('body.tool-call.function-name', 'A tool call that names no function is invalid', {
    ...conversation,
    spoil: (body) => withCalls(body, (call) => ({ ...call, function: { arguments: '{}' } })),
  }),
  rejects('body.tool-call.arguments-string', '`function.arguments` that are an object are invalid', {
    ...conversation,
    spoil: (body) =>
      withCalls(body, (call) => ({
        ...call,
        function: { name: 'get_weather', arguments: { city: 'Oslo' } },
      })),
  }),
];

type Loose = Record<string, unknown>;

/** The body with its first tool changed. */
function withFirstTool(body: ChatCompletionRequest, change: (tool: Loose) => Loose): Loose {
  return { ...body, tools: [change({ ...body.tools?.[0] })] };
}

/** The body with the function of its first tool changed. */
function withFunction(body: ChatCompletionRequest, change: (described: Loose) => Loose): Loose {
  return withFirstTool(body, (tool) => ({ ...tool, function: change({ ...body.tools?.[0]?.function }) }));
}

/** The body with the calls of its assistant message changed. */
function withCalls(body: ChatCompletionRequest, change: (call: Loose) => Loose): Loose {
  return {
    ...body,
    messages: body.messages.map((message) =>
      message.role === 'assistant'
        ? { ...message, tool_calls: message.tool_calls?.map((call) => change({ ...call })) }
        : message,
    ),
  };
}
