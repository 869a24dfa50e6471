import { headerNames } from '@paid-inference/contract/constants';
import { ChatCompletionRequest, CompletionRequest } from '@paid-inference/contract/validators';
import { check } from '../../context/check.ts';
import type { Ask, Context } from '../../context/context.ts';
import {
  bodyFor,
  chatBody,
  completionBody,
  conversationBody,
  type PaidEndpoint,
  paidEndpoints,
  plainText,
  question,
  weatherTool,
} from '../../sources/bodies.ts';
import { describe, judgeTransient } from '../../sources/judgements.ts';
import { paymentRequired } from '../../sources/sources.ts';
import { given } from '../../types/found.ts';
import { broken, holds, type Judgement, unknown } from '../../types/verdict.ts';

/** Depth of nested arrays. Recursive JSON parsers fail at some depth. */
const depth = 5_000;
const longName = 'x'.repeat(20_000);

/** Just above common limits of servers. The contract shows no limit (§8, D-418). */
const sizes = [300_000, 1_200_000];

type Unusual = readonly [name: string, write: (body: string) => string];

const withMember =
  (member: string) =>
  (body: string): string =>
    `${body.slice(0, -1)},${member}}`;
type Message = ReturnType<typeof conversationBody>['messages'][number];

/** A valid conversation with tool calls, and with its messages changed. */
const inConversation =
  (change: (message: Message) => object) =>
  (body: string): string => {
    const { model }: { readonly model: string } = JSON.parse(body);
    const conversation = conversationBody(model);
    return JSON.stringify({ ...conversation, messages: conversation.messages.map(change) });
  };
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
const withCity = (city: object) =>
  changing({ tools: [withParameters({ type: 'object', properties: { city } })] });
const withText = (escaped: string) => (body: string) => body.replace('Say pong.', escaped);
const withPrompt = (prompt: string) => changing({ prompt });
const changing = (members: object) => (body: string) => JSON.stringify({ ...JSON.parse(body), ...members });

/** The contract does not say whether zero is valid (D-204). */
const noTokens: Unusual = ['`max_tokens` 0', changing({ max_tokens: 0 })];

/** Bodies that a parser may mishandle: some valid, some invalid, some no JSON. */
const ofChat: readonly Unusual[] = [
  ['empty content', withText('')],
  ['blank content', withText(' ')],
  ['content of one character', withText('1')],
  noTokens,
  ['white space before the body', (body) => ` \r\n\t${body}`],
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
  ['parameters of an unknown type', changing({ tools: [withParameters({ type: 'wrong' })] })],
  ['a parameter of two types', withCity({ type: ['string', 'null'] })],
  ['a parameter without a type', withCity({ description: 'Name of the city' })],
  ['null among the values of a parameter', withCity({ type: 'string', enum: ['Oslo', null] })],
  ['a choice of any tool', choosing('required')],
  ['a user outside of ASCII', withMember('"user":"日本"')],
];
const ofText: readonly Unusual[] = [
  ['an empty prompt', withPrompt('')],
  ['a blank prompt', withPrompt(' ')],
  noTokens,
  ['arrays nested deeply for a prompt', withMember(`"prompt":${'['.repeat(depth)}${']'.repeat(depth)}`)],
  ['half of a surrogate pair in a prompt', (body) => body.replace('three', '\\ud800')],
  ['a NUL in a prompt', (body) => body.replace('three', '\\u0000')],
  ['white space alone', () => ' \n\t\r '],
];

type Headers = Readonly<Record<string, Pick<Ask, 'headers' | 'lacks'>>>;

const form = { 'Content-Type': 'application/x-www-form-urlencoded' } as const;
const ofType = (type: string) => ({ headers: { [headerNames.settlementType]: type } });

/** Headers that §4.1 forbids. A 400 for them has the body of its row, so the closing checks judge it (D-441). */
const otherTypes: Headers = {
  'no Content-Type': { lacks: ['Content-Type'] },
  'the media type of a form': { headers: form },
  'a broken media type': { headers: { 'Content-Type': 'json' } },
};

/** Usual bodies with unusual headers. The contract does not say whether a gateway accepts them. */
const unusualHeaders: Headers = {
  'no User-Agent': { lacks: ['User-Agent'] },
  'a body in chunks': { headers: { 'Transfer-Encoding': 'chunked' } },
  'an empty X-SETTLEMENT-TYPE': ofType(''),
  'an unknown X-SETTLEMENT-TYPE': ofType('later'),
  'an X-SETTLEMENT-TYPE in capitals': ofType('PRIVATE'),
  'an X-SETTLEMENT-TYPE that begins with a capital': ofType('Individual'),
  'an Authorization without a scheme': { headers: { Authorization: 'secret' } },
  'an empty Authorization': { headers: { Authorization: '' } },
  'the Origin null': { headers: { Origin: 'null' } },
  'a range': { headers: { Range: 'bytes=0-99' } },
  'a broken address in X-Forwarded-For': { headers: { 'X-Forwarded-For': 'unknown, :, 1.2.3' } },
  'a cookie without a value': { headers: { Cookie: 'a; =b; %E0%A4%A' } },
};

/** Checks that malformed or extreme bodies cause neither a completion nor a server fault (§7). */
export const unusualBodyChecks = [
  check(
    'robustness.unusual-bodies',
    'Unusual bodies are never served unpaid and cause no server fault',
    (context) =>
      given(paymentRequired(context, 'chat'), () => judgeAll(context, requestsFor(context.model), 'bodies')),
  ),
  check(
    'robustness.unusual-bodies',
    'A usual body with unusual headers is never served unpaid and causes no server fault',
    (context) =>
      given(paymentRequired(context, 'chat'), () => judgeAll(context, withHeaders(context.model), 'headers')),
  ),
];

type Named = { readonly name: string; readonly endpoint: PaidEndpoint; readonly request: Ask };

async function judgeAll(context: Context, requests: readonly Named[], of: string): Promise<Judgement> {
  let open: Judgement | undefined;
  for (const { name, request, endpoint } of requests) {
    const verdict = await judgeOne(context, name, request, endpoint);
    if (verdict.kind === 'broken') return verdict;
    if (verdict.kind !== 'holds') open ??= verdict;
  }
  return open ?? holds(`${requests.length} ${of}`);
}

/** Reports a fault only if it occurs twice and a plain request still gets 402. */
async function judgeOne(
  context: Context,
  name: string,
  request: Ask,
  endpoint: PaidEndpoint,
): Promise<Judgement> {
  const answered = await context.send(request);
  if (!answered.ok && isUploadRefused(context, request)) return holds();
  if (answered.ok) {
    const passed = judgeTransient(answered.value);
    const { status } = answered.value.outcome;
    if (passed || (status >= 300 && status < 500)) return passed ?? holds();
  }
  const plain: Ask = {
    path: paidEndpoints[endpoint].path,
    body: bodyFor(endpoint, context.model),
    isRandom: true,
  };
  const control = await context.send(plain);
  const isWell = control.ok && control.value.outcome.status === 402;
  if (!answered.ok) return answered.verdict;
  if (!isWell) return unknown(`after ${name}, a plain body no longer got 402`);
  const again = await context.send(request);
  const isAgain = again.ok && again.value.outcome.status === answered.value.outcome.status;
  await context.send(plain);
  const shown = describe(answered.value);
  if (isAgain) return broken('neither 2xx nor 5xx', `${shown} for ${name} (${paidEndpoints[endpoint].path})`);
  return unknown(`${name} got ${shown} once, and another response when the suite sent the body again`);
}

/** Whether the target closed the connection during the upload of a large body, which hides its refusal. */
function isUploadRefused(context: Context, { text = '' }: Ask): boolean {
  const last = context.everything().findLast(({ request }) => request.body === text);
  const hasBrokenOff = last?.outcome.kind === 'failure' && last.outcome.hasBrokenOff === true;
  return hasBrokenOff && text.length > Math.min(...sizes);
}

function withHeaders(model: string): readonly Named[] {
  const request = { path: paidEndpoints.chat.path, body: chatBody(model) };
  const of = (all: Headers, more: Pick<Ask, 'isRandom'>) =>
    Object.entries(all).map(
      ([name, way]): Named => ({
        name,
        endpoint: 'chat',
        request: { ...request, ...way, ...more },
      }),
    );
  return [...of(otherTypes, {}), ...of(unusualHeaders, { isRandom: true })];
}

/** A body of each endpoint as the form that an HTML page sends (D-246). */
function asForms(model: string): readonly Named[] {
  const message = { 'messages[0][role]': question.role, 'messages[0][content]': question.content };
  const of = (endpoint: PaidEndpoint, fields: Readonly<Record<string, string>>): Named => ({
    name: 'a form',
    endpoint,
    request: {
      ...createRequest(endpoint, `${new URLSearchParams({ model, ...fields })}`),
      headers: form,
    },
  });
  return [of('chat', message), of('completions', { prompt: plainText(model).prompt })];
}

function requestsFor(model: string): readonly Named[] {
  const of = (endpoint: PaidEndpoint, body: object, all: readonly Unusual[]) =>
    all.map(([name, write]) => ({
      name,
      endpoint,
      request: createRequest(endpoint, write(JSON.stringify(body))),
    }));
  return [
    ...of('chat', chatBody(model), ofChat),
    ...of('completions', completionBody(model), ofText),
    ...asForms(model),
  ];
}

/** A request with the claim that the contract's schema proves. */
function createRequest(endpoint: PaidEndpoint, text: string): Ask {
  const isValid = endpoint === 'chat' ? ChatCompletionRequest : CompletionRequest;
  const claim = isValid(parsed(text)) ? 'valid' : 'invalid';
  return { path: paidEndpoints[endpoint].path, text, claim, isRandom: true };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
