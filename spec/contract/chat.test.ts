import { ChatCompletionRequest } from '@paid-inference/contract/validators';
import { describeRules, required, values } from '../testing/rules.ts';
import { notStrings, tool } from '../testing/values.ts';

const user = { role: 'user', content: 'Say pong.' };
const chat = { model: 'alder/alder-mini', messages: [user] };

describeRules('2.1 chat completion request', ChatCompletionRequest, [
  required(chat, 'model'),
  values('model is a string', chat, 'model', ['alder/alder-mini', 'unknown/unknown'], notStrings),
  values('model is not empty (D-39)', chat, 'model', ['m'], ['']),
  required(chat, 'messages'),
  values('messages is an array', chat, 'messages', [[user], [user, user]], [user, 'Say pong.', null, {}]),
  values('messages has at least one message (D-39)', chat, 'messages', [[user]], [[]]),
  {
    rule: 'a message is an object',
    keeps: [chat],
    breaks: ['Say pong.', null, 1, []].map((message) => ({ ...chat, messages: [message] })),
    at: '/messages/0',
  },
  values('max_tokens is an integer', chat, 'max_tokens', [1, 100, 16.0], ['100', 1.5, null, true]),
  values('max_tokens is at least 1 (D-12)', chat, 'max_tokens', [1], [0, -1]),
  values('max_tokens is an int32 (D-12)', chat, 'max_tokens', [2 ** 31 - 1], [2 ** 31, 1e300]),
  values('temperature is a number', chat, 'temperature', [0, 0.7, 1, 2], ['1', null, true, [1]]),
  values('temperature is at least 0', chat, 'temperature', [0, 0.001], [-0.001, -1]),
  values('temperature is at most 2', chat, 'temperature', [2, 1.999], [2.001, 3]),
  values('stop is an array', chat, 'stop', [['\n'], []], [1, null, {}, true]),
  values('stop may be one string (D-10)', chat, 'stop', ['\n'], [10]),
  {
    rule: 'a stop sequence is a string (D-10)',
    keeps: [{ ...chat, stop: ['\n', 'END'] }],
    breaks: [
      { ...chat, stop: [1] },
      { ...chat, stop: [null] },
    ],
    at: '/stop/0',
  },
  values('stop has at most 16 sequences (D-10)', chat, 'stop', [Array(16).fill('s')], [Array(17).fill('s')]),
  values('tools is an array', chat, 'tools', [[tool], []], [tool, 'add', null]),
  {
    rule: 'a tool is a tool definition',
    keeps: [{ ...chat, tools: [tool] }],
    breaks: ['add', null, 1].map((each) => ({ ...chat, tools: [each] })),
    at: '/tools/0',
  },
  values('tool_choice is a string', chat, 'tool_choice', ['auto', 'none'], [1, null, true, ['auto']]),
  values('tool_choice may be a name or `required` (D-11)', chat, 'tool_choice', ['add', 'required'], [1]),
  {
    rule: 'tool_choice may be the object that OpenAI clients send (D-11)',
    keeps: [{ ...chat, tool_choice: { type: 'function', function: { name: 'add' } } }],
    breaks: [
      { ...chat, tool_choice: { type: 'function' } },
      { ...chat, tool_choice: { type: 'function', name: 'add' } },
    ],
    at: '/tool_choice/function',
  },
  {
    rule: 'an unknown field is accepted (D-09)',
    keeps: [{ ...chat, user: 'me', seed: 7 }],
    breaks: [{ user: 'me', messages: [user] }],
    at: '/model',
  },
  { rule: 'the body is an object', keeps: [chat], breaks: [[], [chat], 'chat', 1, null, true], at: '' },
]);
