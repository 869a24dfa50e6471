import { defaults } from '@paid-inference/contract/constants';
import type { ChatCompletionRequest, CompletionRequest, Message } from '@paid-inference/contract/types';
import {
  clockTool,
  plainChat,
  plainText,
  question,
  specialTokens,
  weatherTool,
} from '../../sources/bodies.ts';
import { jsonText } from '../../wire/json-text.ts';
import { accepts } from './rejects.ts';

type Chat = Omit<Partial<ChatCompletionRequest>, 'model'>;
type Text = Omit<Partial<CompletionRequest>, 'model'>;

const weatherCall = {
  id: 'call_1',
  type: 'function',
  function: { name: 'get_weather', arguments: '{"city":"Oslo"}' },
} as const;
const weatherResult = { role: 'tool', tool_call_id: 'call_1', content: '{"celsius":4}' } as const;
const tools = [weatherTool];
const twoTools = [weatherTool, clockTool];
const tester = 'tester';
/** The second is no regular expression. */
export const twoStops = ['\n\n', '***'];

function calling(assistant: Partial<Extract<Message, { role: 'assistant' }>>): Chat {
  const called: Message = { role: 'assistant', tool_calls: [weatherCall], ...assistant };
  return { messages: [question, called, weatherResult], tools };
}

/** Text that filters of web servers take for an attack. A prompt may have any text (§2.2). */
const aboutAttacks =
  "Say pong. SELECT * FROM users WHERE name = '' OR 1=1; -- https://example.com/?q=<script> ../../etc/passwd";

/** Values at the edges of §2.1 to §2.4 and §8. No number exceeds a default of the contract. */
const chats: Readonly<Record<string, Chat>> = {
  'with a system message': { messages: [{ role: 'system', content: 'Be brief.' }, question] },
  'with an assistant message': {
    messages: [question, { role: 'assistant', content: 'Pong.' }, question],
  },
  'with two questions in a row': { messages: [question, question] },
  'with an assistant message before the question': {
    messages: [{ role: 'assistant', content: 'Hello.' }, question],
  },
  'with a tool message': calling({}),
  'with a tool message and no `tools`': { messages: calling({}).messages ?? [] },
  'with an id of a call in another form': {
    messages: [
      question,
      { role: 'assistant', tool_calls: [{ ...weatherCall, id: 'toolu_01-A.b' }] },
      { ...weatherResult, tool_call_id: 'toolu_01-A.b' },
    ],
    tools,
  },
  'with content beside tool calls': calling({ content: 'One moment.' }),
  'with an empty `content` beside tool calls': calling({ content: '' }),
  'with a name of a system message': {
    messages: [{ role: 'system', content: 'Be brief.', name: tester }, question],
  },
  'with a name of an assistant message': {
    messages: [question, { role: 'assistant', content: 'Pong.', name: tester }, question],
  },
  'with a name of a tool message': {
    messages: [
      question,
      { role: 'assistant', tool_calls: [weatherCall] },
      { ...weatherResult, name: 'get_weather' },
    ],
    tools,
  },
  'at temperature 0.7': { temperature: 0.7 },
  'at temperature 1.99': { temperature: 1.99 },
  'of the word Hi for one token': { messages: [{ role: 'user', content: 'Hi' }], max_tokens: 1 },
  'for as many tokens as the default': { max_tokens: defaults.ChatCompletionRequest.max_tokens },
  'with two stop sequences': { stop: twoStops },
  'with two tools, one of two parameters': { tools: twoTools },
  'with a tool and `tool_choice` `none`': { tools, tool_choice: 'none' },
  // A language may take the text "0" for no text.
  'of the digit 0 for one token': { messages: [{ role: 'user', content: '0' }], max_tokens: 1 },
  'about SQL, a URL, a path of a file and tokens of models': {
    messages: [{ role: 'user', content: `${aboutAttacks} ${specialTokens}` }],
  },
};

const texts: Readonly<Record<string, Text>> = {
  'at temperature 0.7': { temperature: 0.7 },
  'for one token': { max_tokens: 1 },
  'with two stop sequences': { stop: twoStops },
  'of the digit 0 for one token': { prompt: '0', max_tokens: 1 },
};

/**
 * Two calls with their results are four messages. The contract defines no upper limit (§8), so the twin has
 * four messages too.
 */
const fourMessages: Chat = {
  messages: [
    { role: 'system', content: 'Be brief.' },
    question,
    { role: 'assistant', content: 'Pong.' },
    question,
  ],
};
const twoCalls: Chat = {
  messages: [
    question,
    { role: 'assistant', tool_calls: [weatherCall, { ...weatherCall, id: 'call_2' }] },
    weatherResult,
    { ...weatherResult, tool_call_id: 'call_2' },
  ],
  tools,
};

const questionAfterResult: Chat = {
  messages: [question, { role: 'assistant', tool_calls: [weatherCall] }, weatherResult, question],
  tools,
};

/** Bodies with two calls and with two tools. Other checks accept each of them. */
export const ofTwo = {
  calls: (model: string) => ({ ...plainChat(model), ...twoCalls }),
  tools: (model: string) => ({ ...plainChat(model), tools: twoTools }),
} as const;

/** Checks of valid values, one at a time, in a body without optional fields (D-148). */
export const validEdgeChecks = [
  ...Object.entries(chats).map(([words, change]) =>
    accepts('body.valid.unpaid', `A plain chat ${words} is accepted`, {
      twin: plainChat,
      bodies: (model) => [{ ...plainChat(model), ...change }],
    }),
  ),
  ...Object.entries(texts).map(([words, change]) =>
    accepts('body.valid.unpaid', `A plain text ${words} is accepted`, {
      endpoint: 'completions',
      twin: plainText,
      bodies: (model) => [{ ...plainText(model), ...change }],
    }),
  ),
  accepts('body.valid.unpaid', 'A plain chat with `temperature` written as 1.0 is accepted', {
    twin: plainChat,
    bodies: (model) => [
      jsonText({ ...plainChat(model), temperature: 1 }).replace('"temperature":1', '"temperature":1.0'),
    ],
  }),
  accepts('body.valid.unpaid', 'A plain chat with white space before or behind it is accepted', {
    twin: plainChat,
    // A program that sends a file often sends a line feed at its end.
    bodies: (model) => [` \r\n\t${jsonText(plainChat(model))}`, `${jsonText(plainChat(model))}\r\n`],
  }),
  accepts('body.valid.unpaid', 'A chat with two tool calls and their results is accepted', {
    twin: (model) => ({ ...plainChat(model), ...fourMessages }),
    bodies: (model) => [ofTwo.calls(model)],
  }),
  accepts('body.valid.unpaid', 'A chat with a question after a tool message is accepted', {
    twin: (model) => ({ ...plainChat(model), ...fourMessages }),
    bodies: (model) => [{ ...plainChat(model), ...questionAfterResult }],
  }),
  accepts(
    'body.message.assistant-tool-calls.content-null',
    'An assistant message with `tool_calls` may have null as `content`, like the response',
    {
      twin: (model) => ({ ...plainChat(model), ...calling({ content: 'One moment.' }) }),
      bodies: (model) => [{ ...plainChat(model), ...calling({ content: null }) }],
    },
  ),
];
