import type { RequirementId } from '@paid-inference/contract/requirements';
import { reading } from '../edits.ts';
import type { Asked } from '../message.ts';
import { type Mutant, reads, responds } from '../mutant.ts';
import { findEndpoint, isObject, isPaid, type Json, messagesIn, parsed, withJson } from '../wire-edits.ts';

type Refusal = readonly [id: string, does: string, isRefused: (body: Json, asked: Asked) => boolean];

const listCalls = (body: Json): readonly (readonly unknown[])[] =>
  messagesIn(body).flatMap(({ tool_calls: calls }) => (Array.isArray(calls) ? [calls] : []));

/** The arguments of all tool calls in the messages of a body. */
const listArguments = (text: string): readonly string[] => {
  const body = parsed(text);
  return (isObject(body) ? listCalls(body) : []).flat().flatMap((call) => {
    const called = isObject(call) ? call['function'] : undefined;
    const given = isObject(called) ? called['arguments'] : undefined;
    return typeof given === 'string' ? [given] : [];
  });
};

const joinContents = (body: Json): string =>
  messagesIn(body)
    .map(({ content }) => String(content))
    .join(' ');

/** Rejections of valid bodies whose shapes only random checks send (contract 2, 3). */
const refused: readonly Refusal[] = [
  [
    'two-calls-refused',
    'rejects an unpaid chat with more than one tool call in a message',
    (body) => listCalls(body).some(({ length }) => length > 1),
  ],
  [
    'two-rounds-refused',
    'rejects an unpaid chat with a second round of tool calls',
    (body) => listCalls(body).length > 1,
  ],
  [
    'results-in-order-demanded',
    'rejects tool results in another order than their tool calls',
    (body) => {
      const ids = listCalls(body)
        .flat()
        .map((call) => (isObject(call) ? call['id'] : undefined));
      const results = messagesIn(body).flatMap(({ tool_call_id: id }) => (id === undefined ? [] : [id]));
      return results.length === ids.length && results.some((id, index) => id !== ids[index]);
    },
  ],
  [
    'nested-parameters-refused',
    'rejects tools with nested parameters',
    ({ tools }) =>
      /"(items|enum|properties)":.*"(items|enum)":|"type":"object".*"type":"object"/.test(
        JSON.stringify(tools ?? ''),
      ),
  ],
  [
    'exponents-refused',
    'rejects a `temperature` with an exponent',
    (_, { text }) => /"temperature"\s*:\s*[\d.]+[eE]/.test(text),
  ],
  [
    'escaped-names-refused',
    'rejects a first member name that begins with an escape',
    (_, { text }) => /^\s*\{\s*"\\u/.test(text),
  ],
  [
    'joined-characters-refused',
    'rejects characters joined by U+200D',
    (body) => /\u200d/u.test(joinContents(body)),
  ],
  [
    'two-system-messages-refused',
    'rejects a second system message',
    (body) => messagesIn(body).filter(({ role }) => role === 'system').length > 1,
  ],
  [
    'system-messages-on-the-way-refused',
    'rejects a system message that is not the first message',
    (body) => messagesIn(body).some(({ role }, at) => role === 'system' && at > 0),
  ],
  [
    'capitals-in-names-refused',
    'rejects a `name` with capital letters',
    (body) => messagesIn(body).some(({ name }) => /[A-Z]/.test(String(name ?? ''))),
  ],
  [
    'hyphens-in-tools-refused',
    'rejects a tool name with a hyphen',
    ({ tools }) => /"name":"\w*-/.test(JSON.stringify(tools ?? '')),
  ],
  [
    'right-to-left-refused',
    'rejects Hebrew and Arabic text',
    (body) => /[\u0590-\u06ff]/u.test(joinContents(body)),
  ],
  ['line-breaks-refused', 'rejects JSON over several lines', (_, { text }) => /\{\r?\n/.test(text)],
];

/** Requirements whose fixed checks also send such a body. */
const sentElsewhere: Readonly<Record<string, readonly RequirementId[]>> = {
  'two-calls-refused': ['body.valid.unpaid'],
  'nested-parameters-refused': ['body.valid.unpaid'],
  'two-rounds-refused': ['conditions.unpaid'],
};

export type Failing = readonly [
  id: string,
  does: string,
  isMet: (asked: Asked) => boolean,
  /** Other requests of the suite have the header too. */
  isElsewhere?: true,
];

const failing: readonly Failing[] = [
  ['deep-bodies', 'deeply nested JSON', ({ text }) => text.includes('['.repeat(1_000))],
  ['half-surrogates', 'half of a surrogate pair', ({ text }) => text.includes('\\ud800')],
  ['marked-bodies', 'a body that begins with a byte order mark', ({ text }) => text.startsWith('\ufeff')],
  ['names-twice', 'a duplicate member name', ({ text }) => text.split('"messages":').length > 2],
  ['long-names', 'a member name of thousands of characters', ({ text }) => text.includes('x'.repeat(10_000))],
  ['prototype-names', 'the member name `__proto__`', ({ text }) => text.includes('"__proto__":')],
  [
    'arguments-that-end-early',
    'a tool call in a message whose `function.arguments` are not JSON',
    ({ text }) => listArguments(text).some((each) => parsed(each) === undefined),
  ],
  [
    'empty-arguments',
    'a tool call in a message with empty `function.arguments`',
    ({ text }) => listArguments(text).includes(''),
  ],
  ['many-stops', 'more than four stop sequences', ({ text }) => /"stop":\["a","b","c","d","e"/.test(text)],
  ['many-tokens', 'a `max_tokens` of ten digits', ({ text }) => /"max_tokens":\d{10}\}/.test(text)],
  ...(
    [
      ['32', 31],
      ['54', 53],
      ['64', 63],
    ] as const
  ).map(
    ([bits, power]): Failing => [
      `tokens-of-${bits}-bits`,
      `2^${power} as \`max_tokens\``,
      ({ text }) => text.includes(`"max_tokens":${2n ** BigInt(power)}}`),
    ],
  ),
  [
    'choices-of-other-tools',
    'an object as `tool_choice` that names none of the `tools`',
    ({ text }) => /"get_weather".*"tool_choice":\{.*"get_time"/.test(text),
  ],
  [
    'names-of-other-tools',
    'a text as `tool_choice` that names none of the `tools`',
    ({ text }) => /"tools".*"tool_choice":"get_time"/.test(text),
  ],
  [
    'choices-without-tools',
    'an object as `tool_choice` without `tools`',
    ({ text }) => /"tool_choice":\{/.test(text) && !text.includes('"tools"'),
  ],
  ['null-tools', 'null as a tool', ({ text }) => text.includes('"tools":[null]')],
  [
    'null-functions',
    'a tool whose function is null',
    ({ text }) => text.includes('"tools":[{"type":"function","function":null'),
  ],
  ['null-stops', 'null as a stop sequence', ({ text }) => text.includes('"stop":[null]')],
  ['null-calls', 'null as a tool call', ({ text }) => text.includes('"tool_calls":[null]')],
  [
    'calls-of-null',
    'a tool call whose function is null',
    ({ text }) => /"tool_calls":\[\{[^\]]*"function":null/.test(text),
  ],
  [
    'parameters-of-two-types',
    'a parameter with an array as `type`',
    ({ text }) => text.includes('"type":["string","null"]'),
  ],
  [
    'parameters-without-type',
    'a parameter without `type`',
    ({ text }) => text.includes('{"description":"Day of the week"}'),
  ],
  ['null-values', 'null in an `enum`', ({ text }) => /"enum":\[[^\]]*null/.test(text)],
  ['parameters-of-alternatives', '`anyOf` in a parameter', ({ text }) => text.includes('"anyOf":')],
  [
    'required-parameters-without-description',
    'a required parameter that `properties` does not have',
    ({ text }) => text.includes('"required":["hour"]'),
  ],
  [
    'arguments-that-are-no-object',
    'a tool call in a message whose `function.arguments` are an array',
    ({ text }) => listArguments(text).includes('[]'),
  ],
  [
    'two-results',
    'two results of one tool call',
    ({ text }) => text.split('"tool_call_id":"call_1"').length > 2 && !text.includes('"id":"call_2"'),
  ],
  [
    'options-without-stream',
    '`stream_options` without `stream`',
    ({ text }) => /^(?!.*"stream":).*"stream_options"/s.test(text),
    true,
  ],
  [
    'calls-before-a-question',
    'a user message after a tool call without a result',
    ({ text }) => /"role":"assistant","tool_calls":\[\{"id":"call_1"[^\]]*\]\},\{"role":"user"/.test(text),
  ],
  [
    'calls-at-the-end',
    'a last message with tool calls and without content',
    ({ text }) => {
      const body = parsed(text);
      const last = isObject(body) ? messagesIn(body).at(-1) : undefined;
      return Array.isArray(last?.['tool_calls']) && last['content'] === undefined;
    },
    true,
  ],
  ['numbers-as-user', 'a number as `user`', ({ text }) => text.includes('"user":7')],
  ['images', 'a content part with an image', ({ text }) => text.includes('"image_url"')],
  ['required-choices', '`tool_choice` `required`', ({ text }) => text.includes('"tool_choice":"required"')],
  ['numbers-beyond-bounds', 'the number 1e999', ({ text }) => text.includes('1e999')],
];

/** Headers on which a server may fail. */
const failingHeaders: readonly Failing[] = [
  [
    'missing-media-types',
    'a request without Content-Type',
    ({ headers }) => !('content-type' in headers),
    true,
  ],
  ['missing-user-agents', 'a request without User-Agent', ({ headers }) => !('user-agent' in headers)],
  [
    'forms',
    'the media type of a form',
    ({ headers }) => /urlencoded/.test(headers['content-type'] ?? ''),
    true,
  ],
  [
    'broken-media-types',
    'a media type without a slash',
    ({ headers }) => headers['content-type'] === 'json',
    true,
  ],
  ['null-origins', 'the Origin null', ({ headers }) => headers['origin'] === 'null'],
  ['ranges', 'a request with a range', ({ headers }) => 'range' in headers, true],
  ['empty-types', 'an empty X-SETTLEMENT-TYPE', ({ headers }) => headers['x-settlement-type'] === ''],
  ['empty-credentials', 'an empty Authorization', ({ headers }) => headers['authorization'] === ''],
  [
    'broken-cookies',
    'a cookie that is no URI',
    ({ headers }) => /%(?![0-9a-f]{2})/i.test(headers['cookie'] ?? ''),
  ],
  [
    'broken-forwards',
    'a broken address in X-Forwarded-For',
    ({ headers }) => /[^0-9a-f.:, ]/i.test(headers['x-forwarded-for'] ?? ''),
  ],
];

const error = {
  error: { message: 'Something went wrong.', type: 'server_error', code: 'internal_error' },
} as const;

/** Mutants that reject rare valid bodies, or that fail on unusual ones. */
export const lawfulBodyMutants: readonly Mutant[] = [
  ...refused.map(([id, does, isRefused]) =>
    reads(id, does, ['robustness.valid-bodies', ...(sentElsewhere[id] ?? [])], (asked, forge) =>
      reading('chat', (body) => (!isPaid(asked) && isRefused(body, asked) ? {} : undefined))(asked, forge),
    ),
  ),
  ...[...failing, ...failingHeaders].map(failsOn),
];

/** A mutant that returns 500 for some requests to the paid endpoints. */
export function failsOn([id, what, isMet, isElsewhere]: Failing): Mutant {
  return responds(
    `${id}-fail`,
    `returns 500 for ${what}`,
    ['robustness.unusual-bodies', ...(isElsewhere ? (['error.none-5xx'] as const) : [])],
    (reply, asked) =>
      findEndpoint(asked) && isMet(asked) ? withJson({ ...reply, status: 500 }, error) : reply,
  );
}
