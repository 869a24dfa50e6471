import { extensionFields } from '@paid-inference/contract/constants';
import { ChatCompletionRequest, CompletionRequest } from '@paid-inference/contract/validators';
import { expect, it } from 'vitest';
import { describeRules, type Rule, values } from '../testing/rules.ts';

// All of this is our decision: sections 2.1 and 2.5 have none of these fields.

const chat = { model: 'alder/alder-mini', messages: [{ role: 'user', content: 'Say pong.' }] };
const text = { model: 'alder/alder-mini', prompt: 'Once' };
const integersMax = Number.MAX_SAFE_INTEGER;

function samplingRules(body: object): readonly Rule[] {
  return [
    values(
      'max_completion_tokens is an integer from 1',
      body,
      'max_completion_tokens',
      [1, 100],
      [0, 1.5, '9'],
    ),
    values('top_p is a number from 0 to 1', body, 'top_p', [0, 0.5, 1], [-0.1, 1.1, '1']),
    values('frequency_penalty is from -2 to 2', body, 'frequency_penalty', [-2, 0.5, 2], [-2.1, 2.1, '1']),
    values('presence_penalty is from -2 to 2', body, 'presence_penalty', [-2, 0.5, 2], [-2.1, 2.1, '1']),
    values('seed is an exact integer', body, 'seed', [0, -integersMax, integersMax], [2 ** 60, 1.5, '7']),
    values('user is a string', body, 'user', ['', 'u'], [7, {}]),
  ];
}

const format = (change: object) => ({ type: 'json_schema', json_schema: { name: 'n', ...change } });

describeRules(
  'D-264 fields of OpenAI clients in a text completion request',
  CompletionRequest,
  samplingRules(text),
);
describeRules('D-264 fields of OpenAI clients in a chat completion request', ChatCompletionRequest, [
  ...samplingRules(chat),
  values('metadata has strings', chat, 'metadata', [{}, { run: '1' }], ['x', []]),
  values('parallel_tool_calls is a boolean', chat, 'parallel_tool_calls', [true, false], ['false', 0]),
  values(
    'response_format is an object (D-265)',
    chat,
    'response_format',
    [
      { type: 'text' },
      { type: 'json_object' },
      format({}),
      format({ schema: { const: null }, strict: true }),
    ],
    ['json_object', []],
  ),
  {
    rule: 'response_format has a known type (D-265)',
    keeps: [{ ...chat, response_format: { type: 'text' } }],
    breaks: [{}, { type: 'xml' }, { type: 1 }].map((each) => ({ ...chat, response_format: each })),
    at: '/response_format/type',
  },
  {
    rule: 'a schema has a name (D-265)',
    keeps: [{ ...chat, response_format: format({}) }],
    breaks: [format({ name: '' }), format({ name: 7 })].map((each) => ({ ...chat, response_format: each })),
    at: '/response_format/json_schema/name',
  },
]);

it('The generated list has every field of these rules', () => {
  const sampling = [
    'max_completion_tokens',
    'top_p',
    'frequency_penalty',
    'presence_penalty',
    'seed',
    'user',
  ];
  const streams = ['stream', 'stream_options'];
  expect(extensionFields.CompletionRequest).toEqual([...sampling, ...streams]);
  expect(extensionFields.ChatCompletionRequest).toEqual([
    ...sampling,
    'response_format',
    'parallel_tool_calls',
    'metadata',
    ...streams,
  ]);
});
