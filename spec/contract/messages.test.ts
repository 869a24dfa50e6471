import { Message } from '@paid-inference/contract/validators';
import { describeRules, required, values, without } from '../testing/rules.ts';
import { call, notStrings } from '../testing/values.ts';

const system = { role: 'system', content: 'Be brief.' };
const user = { role: 'user', content: 'Add 6 and 7.' };
const assistant = { role: 'assistant', content: '13' };
const calling = { role: 'assistant', tool_calls: [call] };
const answering = { role: 'tool', tool_call_id: 'call-1', content: '{"sum":13}' };

describeRules('2.2 message object', Message, [
  {
    rule: 'role is one of system, user, assistant, tool',
    keeps: [system, user, assistant, answering],
    breaks: ['developer', 'User', '', 1, null].map((role) => ({ ...user, role })),
    at: '',
  },
  { rule: 'role is required', keeps: [user], breaks: [without(user, 'role')], at: '' },
  ...[system, user, answering].flatMap((message) => [
    { ...required(message, 'content'), rule: `content is required of ${message.role}` },
    values(
      `content of ${message.role} is a string`,
      message,
      'content',
      ['', 'text', '{"sum":13}'],
      // Content parts belong to another interface. The contract says string.
      [...notStrings, [{ type: 'text', text: 'text' }]],
    ),
  ]),
  { ...required(assistant, 'content'), rule: 'content is required of an assistant without tool_calls' },
  values(
    'content of an assistant without tool_calls is a string',
    assistant,
    'content',
    ['', '13'],
    notStrings,
  ),
  {
    rule: 'content is required beside empty tool_calls',
    keeps: [{ ...assistant, tool_calls: [] }],
    breaks: [
      { role: 'assistant', tool_calls: [] },
      { role: 'assistant', content: null, tool_calls: [] },
    ],
    at: '/content',
  },
  {
    rule: 'content of an assistant with tool_calls may be absent, null or text',
    keeps: [calling, { ...calling, content: null }, { ...calling, content: 'Adding.' }],
    breaks: [{ ...calling, content: 13 }],
    at: '/content',
  },
  ...[system, user, assistant, answering].map((message) => ({
    ...values(`name of ${message.role} is a string`, message, 'name', ['alice'], notStrings),
  })),
  ...[system, user, answering].map((message) => ({
    rule: `tool_calls is not allowed in a ${message.role} message`,
    keeps: [message],
    breaks: [
      { ...message, tool_calls: [call] },
      { ...message, tool_calls: [] },
    ],
    at: '/tool_calls',
  })),
  values('tool_calls is an array', assistant, 'tool_calls', [[call], [call, call]], [call, 'call-1', null]),
  {
    rule: 'a tool call is a tool call object',
    keeps: [calling],
    breaks: ['call-1', null].map((each) => ({ ...calling, tool_calls: [each] })),
    at: '/tool_calls/0',
  },
  required(answering, 'tool_call_id'),
  values('tool_call_id is a string', answering, 'tool_call_id', ['call-1'], notStrings),
]);
