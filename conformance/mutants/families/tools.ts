import { parseBody } from '../conditions.ts';
import { reading, serving } from '../edits.ts';
import { type Mutant, reads, responds } from '../mutant.ts';
import { absent, isObject, type Json, readPayment, withMember } from '../wire-edits.ts';
import { refusing } from './bodies.ts';
import { readPayer } from './signature.ts';

/** Mutants of tool calls and tool results (contract 2.4, 2.6, 3). */
export const toolMutants: readonly Mutant[] = [
  calling('call-arguments-as-object', 'sends `function.arguments` of a tool call as an object', (call) =>
    withMember(call, 'function.arguments', { city: 'Oslo' }),
  ),
  calling(
    'call-arguments-not-json',
    'sends `function.arguments` of a tool call as text that is not JSON',
    (call) => withMember(call, 'function.arguments', 'city: Oslo'),
  ),
  responds(
    'call-arguments-not-json-beside-two-tools',
    'sends `function.arguments` that are not JSON if the request has two tools',
    ['tools.call'],
    serving((body, asked) => {
      const tools = parseBody(asked)['tools'];
      const hasTwo = Array.isArray(tools) && tools.length > 1;
      const spoil = (call: Json) => withMember(call, 'function.arguments', 'city: Oslo');
      return hasTwo ? withCalls(body, spoil) : body;
    }),
  ),
  calling(
    'call-arguments-encoded-twice',
    'sends `function.arguments` of a tool call as JSON of a JSON text',
    (call) => withMember(call, 'function.arguments', JSON.stringify('{"city":"Oslo"}')),
  ),
  calling('call-arguments-null', 'sends null in `function.arguments` of a tool call', (call) =>
    withMember(call, 'function.arguments', 'null'),
  ),
  responds(
    'two-calls-of-one-id',
    'sends two tool calls with one id in one message',
    ['tools.call'],
    serving((body) =>
      withCallingChoice(body, (choice) =>
        withMember(choice, 'message.tool_calls', [buildCall('get_weather'), buildCall('get_weather')]),
      ),
    ),
  ),
  calling('call-without-id', 'omits `id` from a tool call', (call) => withMember(call, 'id', absent)),
  calling('call-with-empty-id', 'sends an empty `id` in a tool call', (call) => withMember(call, 'id', '')),
  calling('call-without-type', 'omits `type` from a tool call', (call) => withMember(call, 'type', absent)),
  calling('call-without-name', 'omits `function.name` from a tool call', (call) =>
    withMember(call, 'function.name', absent),
  ),
  responds(
    'calls-in-an-object',
    'sends `tool_calls` as an object',
    ['tools.call', 'chat.body.choices.message.content'],
    serving((body) =>
      withCallingChoice(body, (choice) => withMember(choice, 'message.tool_calls', { 0: {} })),
    ),
  ),
  responds(
    'calls-end-with-null',
    'sets `finish_reason` to null in a choice with tool calls',
    ['tools.finish-reason'],
    serving((body) => withCallingChoice(body, (choice) => ({ ...choice, finish_reason: null }))),
  ),
  responds(
    'ends-with-calls-that-are-not-there',
    'sets `finish_reason` to `tool_calls`, but sends text instead of a tool call',
    ['tools.call', 'tools.finish-reason'],
    serving((body) =>
      withCallingChoice(body, (choice) => ({
        ...choice,
        message: { role: 'assistant', content: 'I would look that up.' },
      })),
    ),
  ),
  responds(
    'content-missing-beside-calls',
    'omits `content` beside tool calls instead of sending null',
    ['chat.body.choices.message.content'],
    serving((body) => withCallingChoice(body, (choice) => withMember(choice, 'message.content', absent))),
  ),
  refusing(
    'tools-refused',
    'rejects a chat with `tools`',
    ['body.tool.accepted', 'body.valid.unpaid'],
    ({ tools }) => Array.isArray(tools),
  ),
  refusing(
    'tools-refused-beside-max-tokens',
    'rejects a chat with both `tools` and `max_tokens`',
    'body.tool.accepted',
    ({ tools, max_tokens: tokens }) => Array.isArray(tools) && tokens !== undefined,
  ),
  responds(
    'calls-of-another-function',
    'calls a function that the request does not offer',
    ['tools.offered'],
    serving((body) =>
      withCallingChoice(body, (choice) =>
        withMember(choice, 'message.tool_calls', [buildCall('get_secrets')]),
      ),
    ),
  ),
  responds(
    'calls-without-tools',
    'calls a function when the request has no `tools`',
    ['tools.offered'],
    serving((body) => ({ ...body, choices: [callingChoice] }), {
      endpoint: 'chat',
      when: ({ text }) => !text.includes('"tools"'),
    }),
  ),
  responds(
    'calls-in-spite-of-none',
    'calls a tool although `tool_choice` is `none`',
    ['tools.none'],
    serving((body) => ({ ...body, choices: [callingChoice] }), {
      endpoint: 'chat',
      when: ({ text }) => text.includes('"tool_choice":"none"'),
    }),
  ),
  reads(
    'results-refused-once-paid',
    'rejects a paid chat with the result of a call that the gateway made',
    ['tools.round-trip'],
    (asked, forge) =>
      // Only payments of the payer with funds are served.
      readPayer(readPayment(asked)) === forge.payer
        ? reading('chat', (body) => (hasResultOfOurs(body) ? {} : undefined))(asked, forge)
        : asked,
  ),
];

function buildCall(name: string): Json {
  return { id: 'call_1', type: 'function', function: { name, arguments: '{"city":"Oslo"}' } };
}

const callingChoice: Json = {
  index: 0,
  message: { role: 'assistant', content: null, tool_calls: [buildCall('get_weather')] },
  finish_reason: 'tool_calls',
};

function calling(id: string, does: string, change: (call: Json) => Json): Mutant {
  return responds(
    id,
    does,
    ['tools.call'],
    serving((body) => withCalls(body, change)),
  );
}

function withCalls(body: Json, change: (call: Json) => Json): Json {
  return withCallingChoice(body, (choice) => {
    const calls = isObject(choice['message']) ? choice['message']['tool_calls'] : undefined;
    const changed = Array.isArray(calls)
      ? calls.map((call) => (isObject(call) ? change(call) : call))
      : calls;
    return withMember(choice, 'message.tool_calls', changed);
  });
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

/** The calls of the suite's own conversations have short ids. */
function hasResultOfOurs({ messages }: Json): boolean {
  return (
    Array.isArray(messages) &&
    messages.some(
      (message) => isObject(message) && !/^call_\d$/.test(String(message['tool_call_id'] ?? 'call_1')),
    )
  );
}
