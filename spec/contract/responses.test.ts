import { ChatCompletion, TextCompletion } from '@paid-inference/contract/validators';
import { describeRules, type Rule, required, values, without } from '../testing/rules.ts';
import { call, notStrings } from '../testing/values.ts';

const usage = { prompt_tokens: 4, completion_tokens: 1, total_tokens: 5 };
const response = { id: 'one', created: 1_700_000_000, model: 'alder/alder-mini', usage };
const chatChoice = { index: 0, message: { role: 'assistant', content: 'pong' }, finish_reason: 'stop' };
const chat = { ...response, object: 'chat.completion', choices: [chatChoice] };
const textChoice = { index: 0, text: 'pong', finish_reason: 'stop' };
const text = { ...response, object: 'text_completion', choices: [textChoice] };

describeRules('2.6 chat completion response', ChatCompletion, [
  ...common(chat),
  values('object is `chat.completion`', chat, 'object', ['chat.completion'], ['text_completion', null]),
  ...ofChoice(chat, chatChoice),
  {
    rule: 'choices.message is required',
    keeps: [chat],
    breaks: [{ ...chat, choices: [without(chatChoice, 'message')] }],
    at: '/choices/0/message',
  },
  ofMessage('role is `assistant`', '/role', [{}], [{ role: 'user' }, { role: null }]),
  ofMessage(
    'content is a string, or null',
    '/content',
    [{ content: null }],
    [{ content: 1 }, { content: [] }],
  ),
  {
    rule: 'choices.message.content is required, also next to tool_calls',
    keeps: [withMessage({ role: 'assistant', content: null, tool_calls: [call] })],
    breaks: [withMessage({ role: 'assistant', tool_calls: [call] })],
    at: '/choices/0/message/content',
  },
  ofMessage('tool_calls is an array', '/tool_calls', [{ tool_calls: [call] }], [{ tool_calls: call }]),
  ofMessage(
    'a tool call has string arguments',
    '/tool_calls/0/function/arguments',
    [{ tool_calls: [call] }],
    [{ tool_calls: [{ ...call, function: { name: 'add', arguments: { a: 6 } } }] }],
  ),
]);

describeRules('2.7 text completion response', TextCompletion, [
  ...common(text),
  values('object is `text_completion`', text, 'object', ['text_completion'], ['chat.completion', null]),
  ...ofChoice(text, textChoice),
  {
    rule: 'choices.text is a string',
    keeps: [text, { ...text, choices: [{ ...textChoice, text: '' }] }],
    breaks: [null, 1, []].map((content) => ({ ...text, choices: [{ ...textChoice, text: content }] })),
    at: '/choices/0/text',
  },
]);

function common(value: object): Rule[] {
  const fields = ['id', 'object', 'created', 'model', 'choices', 'usage'];
  return [
    ...fields.map((name) => required(value, name)),
    values('id is a string', value, 'id', ['one'], notStrings),
    values('created is an integer', value, 'created', [0, 1_700_000_000], ['1700000000', 1.5, null]),
    values('model is a string', value, 'model', ['alder/alder-mini'], notStrings),
    values(
      'choices is an array with at least one element (D-39)',
      value,
      'choices',
      [readChoices(value)],
      [{}, null, []],
    ),
    ...Object.keys(usage).flatMap((name) => [
      {
        rule: `usage.${name} is required`,
        keeps: [value],
        breaks: [{ ...value, usage: without(usage, name) }],
        at: `/usage/${name}`,
      },
      {
        rule: `usage.${name} is an integer`,
        keeps: [0, 7].map((count) => ({ ...value, usage: { ...usage, [name]: count } })),
        breaks: ['7', 1.5, null, -1].map((count) => ({ ...value, usage: { ...usage, [name]: count } })),
        at: `/usage/${name}`,
      },
    ]),
  ];
}

function ofChoice(value: object, choice: object): Rule[] {
  const having = (content: object) => ({ ...value, choices: [{ ...choice, ...content }] });
  return [
    ...['index', 'finish_reason'].map((name) => ({
      rule: `choices.${name} is required`,
      keeps: [value],
      breaks: [{ ...value, choices: [without(choice, name)] }],
      at: `/choices/0/${name}`,
    })),
    {
      rule: 'choices.index is an integer',
      keeps: [having({ index: 0 }), having({ index: 1 })],
      breaks: ['0', 0.5, null, -1].map((index) => having({ index })),
      at: '/choices/0/index',
    },
    {
      rule: 'choices.finish_reason is any string, because the set is open (D-13)',
      keeps: ['stop', 'tool_calls', 'length', 'another'].map((reason) => having({ finish_reason: reason })),
      breaks: notStrings.map((reason) => having({ finish_reason: reason })),
      at: '/choices/0/finish_reason',
    },
  ];
}

function withMessage(message: object): object {
  return { ...chat, choices: [{ ...chatChoice, message }] };
}

function ofMessage(rule: string, at: string, good: readonly object[], bad: readonly object[]): Rule {
  const having = (content: object) => withMessage({ ...chatChoice.message, ...content });
  return {
    rule: `choices.message.${rule}`,
    keeps: good.map(having),
    breaks: bad.map(having),
    at: `/choices/0/message${at}`,
  };
}

function readChoices(value: object): unknown {
  return (value as { choices: unknown }).choices;
}
