import { reading, serving } from '../edits.ts';
import { answers, type Mutant, reads } from '../mutant.ts';
import { absent, isObject, type Json, paymentOf, withMember } from '../wire-edits.ts';
import { refusing } from './bodies.ts';
import { fromOf } from './signature.ts';

/** The tool loop (contract 2.4, 2.6, 3). */
export const toolMutants: readonly Mutant[] = [
  calling('call-arguments-as-object', 'gives `function.arguments` of a call as an object', (call) =>
    withMember(call, 'function.arguments', { city: 'Oslo' }),
  ),
  calling('call-arguments-not-json', 'gives `function.arguments` of a call as plain text', (call) =>
    withMember(call, 'function.arguments', 'city: Oslo'),
  ),
  calling('call-without-id', 'leaves `id` out of a call', (call) => withMember(call, 'id', absent)),
  calling('call-without-type', 'leaves `type` out of a call', (call) => withMember(call, 'type', absent)),
  calling('call-without-name', 'leaves `function.name` out of a call', (call) =>
    withMember(call, 'function.name', absent),
  ),
  answers(
    'calls-in-an-object',
    'gives `tool_calls` as an object',
    ['tools.call', 'chat.body.choices.message.content'],
    serving((body) =>
      withCallingChoice(body, (choice) => withMember(choice, 'message.tool_calls', { 0: {} })),
    ),
  ),
  answers(
    'calls-end-with-null',
    'does not say why an answer with tool calls ended',
    ['tools.finish-reason'],
    serving((body) => withCallingChoice(body, (choice) => ({ ...choice, finish_reason: null }))),
  ),
  answers(
    'ends-with-calls-that-are-not-there',
    'ends answers with `tool_calls`, and says something instead',
    ['tools.call', 'tools.finish-reason'],
    serving((body) =>
      withCallingChoice(body, (choice) => ({
        ...choice,
        message: { role: 'assistant', content: 'I would look that up.' },
      })),
    ),
  ),
  answers(
    'content-missing-beside-calls',
    'leaves `content` out beside tool calls, instead of null',
    ['chat.body.choices.message.content'],
    serving((body) => withCallingChoice(body, (choice) => withMember(choice, 'message.content', absent))),
  ),
  refusing('tools-refused', 'refuses tools', ['body.tool.accepted', 'body.valid.unpaid'], ({ tools }) =>
    Array.isArray(tools),
  ),
  refusing(
    'tools-refused-beside-max-tokens',
    'refuses tools beside `max_tokens`',
    'body.tool.accepted',
    ({ tools, max_tokens: tokens }) => Array.isArray(tools) && tokens !== undefined,
  ),
  answers(
    'calls-of-another-function',
    'calls a function that was not offered',
    ['tools.offered'],
    serving((body) =>
      withCallingChoice(body, (choice) => withMember(choice, 'message.tool_calls', [callOf('get_secrets')])),
    ),
  ),
  answers(
    'calls-without-tools',
    'calls a function where no tools are offered',
    ['tools.offered'],
    serving((body) => ({ ...body, choices: [callingChoice] }), {
      endpoint: 'chat',
      when: ({ text }) => !text.includes('"tools"'),
    }),
  ),
  answers(
    'calls-in-spite-of-none',
    'calls a tool where `tool_choice` is `none`',
    ['tools.none'],
    serving((body) => ({ ...body, choices: [callingChoice] }), {
      endpoint: 'chat',
      when: ({ text }) => text.includes('"tool_choice":"none"'),
    }),
  ),
  reads(
    'results-refused-once-paid',
    'refuses a conversation with the results of a tool once it is paid',
    ['tools.round-trip'],
    (asked, forge) =>
      // A payment of a payer without funds is never served.
      fromOf(paymentOf(asked)) === forge.payer
        ? reading('chat', (body) => (hasResults(body) ? {} : undefined))(asked, forge)
        : asked,
  ),
];

function callOf(name: string): Json {
  return { id: 'call_1', type: 'function', function: { name, arguments: '{"city":"Oslo"}' } };
}

const callingChoice: Json = {
  index: 0,
  message: { role: 'assistant', content: null, tool_calls: [callOf('get_weather')] },
  finish_reason: 'tool_calls',
};

function calling(id: string, does: string, change: (call: Json) => Json): Mutant {
  return answers(
    id,
    does,
    ['tools.call'],
    serving((body) =>
      withCallingChoice(body, (choice) => {
        const calls = isObject(choice['message']) ? choice['message']['tool_calls'] : undefined;
        const changed = Array.isArray(calls)
          ? calls.map((call) => (isObject(call) ? change(call) : call))
          : calls;
        return withMember(choice, 'message.tool_calls', changed);
      }),
    ),
  );
}

function withCallingChoice(body: Json, change: (choice: Json) => Json): Json {
  const choices: readonly unknown[] = Array.isArray(body['choices']) ? body['choices'] : [];
  return {
    ...body,
    choices: choices.map((choice) =>
      isObject(choice) && choice['finish_reason'] === 'tool_calls' ? change(choice) : choice,
    ),
  };
}

function hasResults({ messages }: Json): boolean {
  return (
    Array.isArray(messages) && messages.some((message) => isObject(message) && message['role'] === 'tool')
  );
}
