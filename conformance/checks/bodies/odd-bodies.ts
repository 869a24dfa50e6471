import { conversationBody, question, weatherTool } from '../../sources/bodies.ts';

/** Depth of nested arrays. Recursive JSON parsers fail at some depth. */
const depth = 5_000;
const longName = 'x'.repeat(20_000);

/** Just above common limits of servers. The contract shows no limit (§8, D-418). */
export const sizes = [300_000, 1_200_000];

/** A body that is written from a usual one. */
export type Unusual = readonly [name: string, write: (body: string) => string];

const changing = (members: object) => (body: string) => JSON.stringify({ ...JSON.parse(body), ...members });
const withMember =
  (member: string) =>
  (body: string): string =>
    `${body.slice(0, -1)},${member}}`;
type Message = ReturnType<typeof conversationBody>['messages'][number];

/** A valid conversation with tool calls, and with other messages. */
const withMessages =
  (change: (messages: readonly Message[]) => readonly object[]) =>
  (body: string): string => {
    const { model }: { readonly model: string } = JSON.parse(body);
    const conversation = conversationBody(model);
    return JSON.stringify({ ...conversation, messages: change(conversation.messages) });
  };
const inConversation = (change: (message: Message) => object) =>
  withMessages((messages) => messages.map(change));
const withArguments = (text: string) =>
  inConversation((message) =>
    message.role === 'assistant' && message.tool_calls
      ? {
          ...message,
          tool_calls: message.tool_calls.map((call) => ({
            ...call,
            function: { ...call.function, arguments: text },
          })),
        }
      : message,
  );
const emptyResult = inConversation((message) =>
  message.role === 'tool' ? { ...message, content: '' } : message,
);
const choosing = (choice: unknown) =>
  withMember(`"tools":${JSON.stringify([weatherTool])},"tool_choice":${JSON.stringify(choice)}`);
const withParameters = (parameters: object) => ({
  ...weatherTool,
  function: { ...weatherTool.function, parameters },
});
const withName = (name: string) => ({ ...weatherTool, function: { ...weatherTool.function, name } });
const withParameter = (parameters: object) => changing({ tools: [withParameters(parameters)] });
/** Parameters in many forms of JSON Schema, which a conversion for another interface may not know. */
const manyForms = {
  type: 'object',
  $schema: 'http://json-schema.org/draft-07/schema#',
  $defs: { area: { type: 'string' } },
  additionalProperties: false,
  properties: {
    city: { type: ['string', 'null'], default: null, minLength: 1, pattern: '^.', format: 'city' },
    day: { description: 'Day of the week' },
    unit: { type: 'string', enum: ['C', null] },
    place: { anyOf: [{ type: 'string' }, { type: 'integer' }] },
    area: { $ref: '#/$defs/area' },
    way: { oneOf: [{ const: 1 }, { type: 'object' }] },
    all: { allOf: [] },
    other: { not: { type: 'null' } },
    stops: { type: 'array' },
    pair: { type: 'array', items: [{ type: 'string' }], prefixItems: [{ type: 'string' }] },
    route: { type: 'object' },
    places: { type: 'object', additionalProperties: { type: 'string' } },
    empty: {},
    count: { type: 'number', minimum: -1e9, multipleOf: 0.5, title: 'Count' },
    type: { type: 'string', description: 'Kind of place' },
    form: { type: 'object', properties: {} },
  },
  required: ['hour'],
} as const;
/** Tools that lack optional members, or have more of them. */
const otherTools = [
  { type: 'function', function: { name: 'no_parameters' } },
  { type: 'function', function: { name: 'no_properties', description: '', parameters: {} } },
  { type: 'function', function: { ...weatherTool.function, name: 'get-weather-9', strict: true } },
  ...[1, 2, 3, 4, 5].map((at) => ({
    type: 'function',
    function: { ...weatherTool.function, name: `tool_${at}`, description: 'Tells the weather. '.repeat(60) },
  })),
] as const;
/** Members that ask for another product. A gateway may refuse or ignore them. */
const chatOptions = {
  response_format: {
    type: 'json_schema',
    json_schema: { name: 'place', strict: true, schema: { type: 'object', properties: {} } },
  },
  logit_bias: { '50256': -100 },
  prediction: { type: 'content', content: 'pong' },
  prompt: 'Say pong.',
  stream: 'true',
  seed: -1,
  n: 2,
  logprobs: true,
  top_logprobs: 2,
  modalities: ['text', 'audio'],
  audio: { voice: 'alloy', format: 'mp3' },
  web_search_options: {},
} as const;
const textOptions = {
  tools: [weatherTool],
  best_of: 2,
  n: 2,
  logprobs: 5,
  echo: true,
  suffix: ' five',
  logit_bias: { '50256': -100 },
};
const nullOptions = { stream: null, stream_options: null, user: null, seed: null, n: null, metadata: null };
/** A long conversation whose assistant messages have all members of a response of another interface. */
const sentBack = changing({
  messages: [
    { role: 'system', content: '' },
    { role: 'user', content: 'Say pong. '.repeat(7_000) },
    {
      role: 'assistant',
      content: null,
      refusal: null,
      annotations: [],
      audio: null,
      function_call: null,
      tool_calls: [
        {
          index: 0,
          id: `call_${'5a'.repeat(32)}`,
          type: 'function',
          function: { name: 'get_time', arguments: 'null' },
        },
      ],
    },
    { role: 'tool', tool_call_id: `call_${'5a'.repeat(32)}`, content: '{"hour":4}' },
    ...Array.from({ length: 16 }, () => [question, { role: 'assistant', content: '' }]).flat(),
    question,
  ],
  tools: [weatherTool],
});
const withText = (escaped: string) => (body: string) => body.replace('Say pong.', escaped);
const withPrompt = (prompt: string) => changing({ prompt });

/** A part of a content, as other interfaces have it. */
const image = { type: 'image_url', image_url: { url: 'data:image/png;base64,AA==' } };

/** The contract does not say whether zero is valid (D-204). */
const noTokens: Unusual = ['`max_tokens` 0', changing({ max_tokens: 0 })];

/** Chats that a parser may mishandle: some valid, some invalid, some no JSON. */
export const ofChat: readonly Unusual[] = [
  ['empty content', withText('')],
  ['blank content', withText(' ')],
  ['content of one character', withText('1')],
  noTokens,
  ...sizes.map((bytes): Unusual => [`${bytes} bytes`, (body) => body + ' '.repeat(bytes)]),
  ['arrays nested deeply in an unknown member', withMember(`"x":${'['.repeat(depth)}${']'.repeat(depth)}`)],
  ['a body of arrays nested deeply', () => '['.repeat(depth) + ']'.repeat(depth)],
  ['objects nested deeply', () => '{"messages":'.repeat(depth)],
  ['a name of 20,000 characters', withMember(`"${longName}":1`)],
  ['one name twice', withMember('"messages":[{"role":"user","content":"Say ping."}]')],
  ['names of the prototype', withMember('"__proto__":{"model":7},"constructor":null,"toString":1')],
  ['half of a surrogate pair', withText('Say \\ud800.')],
  ['a NUL and other control characters', withText('Say \\u0000\\u0007\\u001b.')],
  ['a byte order mark', (body) => `\ufeff${body}`],
  ['a number beyond all bounds', withMember('"temperature":1e999')],
  ['a number of many digits', withMember(`"max_tokens":1${'0'.repeat(400)}`)],
  ['more tokens than any model makes', withMember('"max_tokens":2000000000')],
  ...[31n, 53n, 63n].map(
    (bits): Unusual => [`2^${bits} as \`max_tokens\``, withMember(`"max_tokens":${2n ** bits}`)],
  ),
  ['many stop sequences', withMember(`"stop":${JSON.stringify([...'abcdefghijkl'])}`)],
  [
    'a choice of a tool without tools',
    withMember('"tool_choice":{"type":"function","function":{"name":"get_weather"}}'),
  ],
  ['a choice of a tool beside another tool', choosing({ type: 'function', function: { name: 'get_time' } })],
  ['the name of a tool as a choice beside another tool', choosing('get_time')],
  ['NaN as a number', withMember('"temperature":NaN')],
  ['an object for messages', withMember('"messages":{"0":{"role":"user","content":"x"},"length":1}')],
  [
    'members of the wrong type everywhere',
    withMember('"messages":[{"role":{},"content":[],"tool_calls":7}]'),
  ],
  ['a choice of a function without its name', choosing({ type: 'function' })],
  ['null as options', changing(nullOptions)],
  ['a long conversation with members of a response', sentBack],
  ['null as a tool', withMember('"tools":[null]')],
  ['a tool whose function is null', withMember('"tools":[{"type":"function","function":null}]')],
  ['null as a stop sequence', withMember('"stop":[null]')],
  ['null as a tool call', withMember('"messages":[{"role":"assistant","content":"","tool_calls":[null]}]')],
  [
    'a tool call whose function is null',
    withMember(
      '"messages":[{"role":"assistant","content":"","tool_calls":[{"id":"a","type":"function","function":null}]}]',
    ),
  ],
  ['a tool call with empty arguments', withArguments('')],
  ['a tool call whose arguments end early', withArguments('{city')],
  ['half of a surrogate pair in arguments', withArguments('{"city":"\ud800"}')],
  ['half of a surrogate pair in a name', inConversation((message) => ({ ...message, name: '\ud800' }))],
  ['an empty tool result', emptyResult],
  ['parameters of an unknown type', withParameter({ type: 'wrong' })],
  ['tools and parameters of many forms', changing({ tools: [withParameters(manyForms), ...otherTools] })],
  ['a choice of any tool', choosing('required')],
  ['a choice of the type `auto`', choosing({ type: 'auto' })],
  [
    'two tools of one name, which has dots',
    changing({ tools: [withName('weather.get.now'), withName('weather.get.now')] }),
  ],
  [
    'options of a stream without a stream, and a number as a user',
    withMember('"stream_options":{"include_usage":true},"user":7'),
  ],
  ['a tool call whose arguments are an array', withArguments('[]')],
  [
    'two results of a tool call, and a tool call without a result',
    withMessages((messages) => [...messages, ...messages.slice(-1), ...messages.slice(1, 2), question]),
  ],
  ['a tool call without content at the end', withMessages((messages) => messages.slice(0, -1))],
  ['options of other interfaces, and a user outside of ASCII', changing({ ...chatOptions, user: '日本' })],
  ['an image as content', changing({ messages: [{ role: 'user', content: [image] }] })],
];
/** The same for text completions. */
export const ofText: readonly Unusual[] = [
  ['an empty prompt', withPrompt('')],
  ['a blank prompt', withPrompt(' ')],
  noTokens,
  ['arrays nested deeply for a prompt', withMember(`"prompt":${'['.repeat(depth)}${']'.repeat(depth)}`)],
  ['half of a surrogate pair in a prompt', (body) => body.replace('three', '\\ud800')],
  ['a NUL in a prompt', (body) => body.replace('three', '\\u0000')],
  ['options of other interfaces', changing(textOptions)],
  ['white space alone', () => ' \n\t\r '],
];
