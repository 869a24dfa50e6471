import {
  ChatCompletionChunk,
  ChatCompletionRequest,
  CompletionRequest,
  TextCompletionChunk,
} from '@paid-inference/contract/validators';
import { describeRules, type Rule, required, values } from '../testing/rules.ts';
import { notStrings } from '../testing/values.ts';

const chat = { model: 'alder/alder-mini', messages: [{ role: 'user', content: 'Say pong.' }] };
const text = { model: 'alder/alder-mini', prompt: 'Once upon a time' };

describeRules('a chat request that asks for a stream (D-267)', ChatCompletionRequest, fields(chat));
describeRules('a text request that asks for a stream (D-267)', CompletionRequest, fields(text));

const usage = { prompt_tokens: 4, completion_tokens: 1, total_tokens: 5 };
const identity = { id: 'one', created: 1_700_000_000, model: 'alder/alder-mini' };
const chatChoice = { index: 0, delta: { role: 'assistant', content: 'pong' }, finish_reason: null };
const chatChunk = { ...identity, object: 'chat.completion.chunk', choices: [chatChoice] };
const textChoice = { index: 0, text: 'pong', finish_reason: null };
const textChunk = { ...identity, object: 'text_completion', choices: [textChoice] };
const callPart = { index: 0, id: 'call_1', type: 'function', function: { name: 'add', arguments: '{"a":' } };

describeRules('a chunk of a chat completion (D-267)', ChatCompletionChunk, [
  ...common(chatChunk),
  values(
    'object is `chat.completion.chunk`',
    chatChunk,
    'object',
    ['chat.completion.chunk'],
    ['chat.completion', null],
  ),
  ofDelta(
    'each field of the delta is optional',
    '',
    [{}, { role: 'assistant' }, { content: 'pong' }],
    [1, null],
  ),
  ofDelta('the role is `assistant`', '/role', [{ role: 'assistant' }], [{ role: 'user' }, { role: null }]),
  ofDelta('content is a string or null', '/content', [{ content: null }], [{ content: 1 }]),
  ofDelta(
    'tool_calls has parts of calls',
    '/tool_calls/0/index',
    [{ tool_calls: [callPart] }, { tool_calls: [{ index: 0, function: { arguments: '1}' } }] }],
    [{ tool_calls: [{ ...callPart, index: '0' }] }, { tool_calls: [{ ...callPart, index: -1 }] }],
  ),
]);

describeRules('a chunk of a text completion (D-267)', TextCompletionChunk, [
  ...common(textChunk),
  values(
    'object is `text_completion`',
    textChunk,
    'object',
    ['text_completion'],
    ['chat.completion.chunk', null],
  ),
  {
    rule: 'a choice has text',
    keeps: [{ ...textChunk, choices: [{ ...textChoice, text: '' }] }],
    breaks: notStrings.map((written) => ({ ...textChunk, choices: [{ ...textChoice, text: written }] })),
    at: '/choices/0/text',
  },
]);

function fields(body: object): Rule[] {
  return [
    values('stream is a boolean', body, 'stream', [true, false], ['true', 1, {}]),
    values('stream_options is an object', body, 'stream_options', [{}], ['usage', 1, true]),
    {
      rule: 'include_usage is a boolean',
      keeps: [true, false].map((include_usage) => ({ ...body, stream_options: { include_usage } })),
      breaks: ['true', 1].map((include_usage) => ({ ...body, stream_options: { include_usage } })),
      at: '/stream_options/include_usage',
    },
  ];
}

function common(chunk: { readonly choices: readonly object[] }): Rule[] {
  const [choice] = chunk.choices;
  const finishing = (finish_reason: unknown) => ({ ...chunk, choices: [{ ...choice, finish_reason }] });
  return [
    ...['id', 'object', 'created', 'model', 'choices'].map((name) => required(chunk, name)),
    values('choices may be empty', chunk, 'choices', [[], chunk.choices], [{}, null]),
    values('usage is absent, null or a usage', chunk, 'usage', [null, usage], [1, {}]),
    {
      rule: 'finish_reason is a string, or null before the last part',
      keeps: [null, 'stop', 'length', 'another'].map(finishing),
      breaks: [1, true, []].map(finishing),
      at: '/choices/0/finish_reason',
    },
  ];
}

function ofDelta(rule: string, at: string, good: readonly object[], bad: readonly unknown[]): Rule {
  const having = (delta: unknown) => ({ ...chatChunk, choices: [{ ...chatChoice, delta }] });
  return { rule, keeps: good.map(having), breaks: bad.map(having), at: `/choices/0/delta${at}` };
}
