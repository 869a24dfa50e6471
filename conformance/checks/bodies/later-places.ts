import type { ChatCompletionRequest } from '@paid-inference/contract/types';
import { chatBody, toolBody, weatherTool } from '../../sources/bodies.ts';
import { putting, rejects, type Spoils, within } from './rejects.ts';

const strangeRole = { 'another word': 'narrator' } as const;

/** Checks of faults in places that a gateway may leave unread (§2.2, §2.3, D-219). */
export const laterPlaceChecks = [
  rejects('body.message.role.enum', 'A `role` is judged in the first and in the fifth message', {
    endpoint: 'chat',
    twin: longBody,
    isBounded: true,
    spoils: {
      ...onMessage(0, '(first of six)', putting('role', strangeRole)),
      ...onMessage(4, '(fifth of six)', putting('role', strangeRole)),
    },
  }),
  rejects('body.message.content.string', 'A `content` is judged in the fifth message', {
    endpoint: 'chat',
    twin: longBody,
    isBounded: true,
    spoils: onMessage(4, '(fifth of six)', putting('content', { 'a number': 7 })),
  }),
  rejects('body.tool.function-name', 'A third tool without a `function` that has a name is invalid', {
    endpoint: 'chat',
    twin: threeToolsBody,
    spoils: onThirdTool(putting('function', { 'a string': 'get_third' })),
  }),
  rejects('body.tool.function-name', 'A tool whose function has no `name` is invalid beside `none`', {
    endpoint: 'chat',
    twin: (model: string) => ({ ...threeToolsBody(model), tool_choice: 'none' }),
    spoils: onThirdTool(putting('function', { 'an object without a name': {} })),
  }),
];

/** A conversation of six messages. */
function longBody(model: string): ChatCompletionRequest {
  const { messages, ...rest } = chatBody(model);
  const turns = ['One.', 'Two.'].flatMap((content) => [
    { role: 'user', content } as const,
    { role: 'assistant', content } as const,
  ]);
  const [system, question] = messages;
  return { ...rest, messages: [system, ...turns, question].flatMap((message) => message ?? []) };
}

function threeToolsBody(model: string): ChatCompletionRequest {
  const tools = ['get_first', 'get_second', 'get_third'].map((name) => ({
    ...weatherTool,
    function: { ...weatherTool.function, name },
  }));
  return { ...toolBody(model), tools };
}

function onMessage(at: number, place: string, spoils: Spoils<object>): Spoils<ChatCompletionRequest> {
  return within(
    place,
    ({ messages, ...rest }: ChatCompletionRequest, spoil) => ({
      ...rest,
      messages: messages.map((message, index) => (index === at ? spoil(message) : message)),
    }),
    spoils,
  );
}

function onThirdTool(spoils: Spoils<object>): Spoils<ChatCompletionRequest> {
  return within(
    '(third tool)',
    ({ tools = [], ...rest }: ChatCompletionRequest, spoil) => ({
      ...rest,
      tools: tools.map((tool, index) => (index === 2 ? spoil(tool) : tool)),
    }),
    spoils,
  );
}
