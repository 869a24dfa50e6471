import { defaults, headerNames } from '@paid-inference/contract/constants';
import type {
  ChatCompletionRequest,
  CompletionRequest,
  Message,
  SettlementType,
} from '@paid-inference/contract/types';
import type { Ask } from '../context/context.ts';
import {
  charsetNamed,
  chatBody,
  clockTool,
  completionBody,
  type PaidEndpoint,
  paidEndpointNames,
  paidEndpoints,
  weatherTool,
} from '../sources/bodies.ts';
import { commonMembers } from '../sources/common-members.ts';
import { jsonText } from '../wire/json-text.ts';
import type { Factors, Row } from './pairwise.ts';

/** Minimum sizes of large bodies, in bytes. The first exceeds one read of a socket. */
export const largeBytes = [70_000, 12_000] as const;
/** Length of the long text in a large body. The rest is white space, so that the token count stays low. */
const longTextCharacters = 6_000;

/** The conditions under which a request is sent. No condition changes the correct response. */
export type Conditions = {
  readonly model: string;
  readonly type: SettlementType | 'absent';
  readonly endpoint: PaidEndpoint;
  /** A new connection, or one that earlier requests used. */
  readonly connection: 'own' | 'kept';
  /** Whether other requests are sent at the same time. */
  readonly company: 'alone' | 'together';
  /** Minimum size of the body; 0 leaves the body unchanged. */
  readonly bytes: number;
  readonly turn: Turn;
  readonly extra: Extra;
  readonly credential: Credential;
  /** Only for payments that must be refused; otherwise the usual body. */
  readonly shape?: Shape;
  /** The same, for the number of the payment that begins with a zero byte. */
  readonly zeroByte?: 'nonce' | 'r' | 's' | 'from';
  /** The same. The request names the charset of its JSON. */
  readonly hasCharset?: true;
};

/**
 * The end of the conversation: a user message, a tool result, the result of a second round, or an assistant
 * message.
 */
export type Turn = 'first' | 'result' | 'second-round' | 'answered';
/**
 * A body other than the usual one: for a single token, without optional fields, with a longer text outside ASCII at
 * `temperature` 0, a chat of one message, or a chat that begins with a system message and offers two tools. The long
 * one asks a chat for the default number of tokens, which every target accepts.
 */
export type Shape = 'one-token' | 'defaults' | 'long' | 'one-message' | 'two-tools';
export type Extra = 'none' | 'stream-false' | 'stream-true' | 'user-and-metadata' | 'common-members';

/** Members that the contract does not define, though many clients send them. */
export const extraMembers: Readonly<Record<Extra, object>> = {
  none: {},
  'stream-false': { stream: false },
  'stream-true': { stream: true },
  'user-and-metadata': { user: 'tester', metadata: { run: '1' } },
  'common-members': commonMembers,
};

/** Credentials and headers of internal callers; the interface defines neither (§5). */
export type Credential = 'none' | 'bearer' | 'keys' | 'from-within';

const key = 'sk-conformance-0123456789abcdef0123456789abcdef';

const credentialHeaders: Readonly<Record<Credential, Readonly<Record<string, string>>>> = {
  none: {},
  bearer: { Authorization: `Bearer ${key}` },
  keys: {
    'X-API-Key': key,
    'api-key': key,
    'X-Auth-Token': key,
    Cookie: `session=${key}; token=${key}`,
  },
  'from-within': { 'X-Internal': 'true', 'X-Admin': 'true', 'X-Test': 'true', 'X-Real-IP': '127.0.0.1' },
};

export const plain = {
  type: 'absent',
  connection: 'own',
  company: 'alone',
  bytes: 0,
  turn: 'first',
  extra: 'none',
  credential: 'none',
} as const satisfies Partial<Conditions>;

/** The conditions that apply to every target. */
export const common = {
  endpoint: paidEndpointNames,
  connection: ['own', 'kept'],
  company: ['alone', 'together'],
} as const;

/** Text requests have no turns, and concurrent requests have their own connections. */
export function isPossible({ endpoint, turn, connection, company }: Partial<Row<Factors>>): boolean {
  const isTurnOfText = endpoint === 'completions' && turn !== undefined && turn !== 'first';
  return !isTurnOfText && !(connection === 'kept' && company === 'together');
}

/** A valid request under these conditions; `change` may make its body invalid. */
export function requestUnder(
  conditions: Conditions,
  change: (body: Readonly<Record<string, unknown>>) => unknown = (body) => body,
): Ask {
  const { endpoint, type, connection, bytes, extra, credential, hasCharset } = conditions;
  const headers = {
    ...(type !== 'absent' && { [headerNames.settlementType]: type }),
    ...credentialHeaders[credential],
    ...(hasCharset && charsetNamed),
  };
  const changed = change({ ...bodyUnder(conditions), ...extraMembers[extra] });
  return {
    path: paidEndpoints[endpoint].path,
    ...(bytes > 0 ? { text: padded(jsonText(changed), bytes) } : { body: changed }),
    ...(Object.keys(headers).length > 0 && { headers }),
    ...(connection === 'kept' && { isOnKeptConnection: true }),
  };
}

type Body = Readonly<Record<string, unknown>> & { readonly messages?: readonly Message[] };

/** More than 300 characters in several scripts. */
const foreignText = ' Grüße, café, Ωμέγα, 東京, мир 🙂.'.repeat(10);

function bodyUnder({ endpoint, model, turn, bytes, shape }: Conditions): Body {
  const [long, foreign] = [
    bytes > 0 ? ` ${'Say it again. '.repeat(longTextCharacters / 14)}` : '',
    shape === 'long' ? foreignText : '',
  ];
  const more = long + foreign;
  if (endpoint === 'completions') {
    const body = completionBody(model);
    return { ...shaped(body, shape), prompt: body.prompt + more };
  }
  const { messages, ...rest } = shaped(chatBody(model), shape);
  const opening = shape === 'two-tools' ? messages.slice(0, 1) : [];
  const said = turn === 'first' ? messages : [...opening, ...conversations[turn]];
  const [first, ...others] = said;
  const longer = first ? [{ ...first, content: `${first.content}${more}` }, ...others] : said;
  const hasTools = turn === 'result' || turn === 'second-round' || shape === 'two-tools';
  const tools = shape === 'two-tools' ? [weatherTool, clockTool] : [weatherTool];
  const choice = shape && toolChoices[shape];
  return {
    ...rest,
    messages: longer,
    ...(hasTools && { tools, ...(choice && { tool_choice: choice }) }),
  };
}

/** The `tool_choice` of the turns with tools. The other bodies have none. */
const toolChoices: Partial<Record<Shape, 'auto' | 'none'>> = { 'one-token': 'auto', long: 'none' };

/** The body with other sampling fields. */
function shaped<T extends ChatCompletionRequest | CompletionRequest>(body: T, shape: Shape | undefined): T {
  if (shape === undefined) return body;
  const { max_tokens: _, temperature: __, stop: ___, ...required } = body;
  const changed = {
    'one-token': { ...body, max_tokens: 1 },
    defaults: required,
    long: {
      ...body,
      temperature: 0,
      // The contract shows no default for text requests, so every other number may be too high for a target.
      ...('messages' in body && { max_tokens: defaults.ChatCompletionRequest.max_tokens }),
    },
    'one-message': { ...body, ...('messages' in body && { messages: body.messages.slice(-1) }) },
    'two-tools': body,
  }[shape];
  return changed as T;
}

/**
 * Two rounds of tool calls and a completion, to precede a question. With the question, there are as many messages as
 * after a second round.
 */
export function twoRounds(): readonly Message[] {
  const [, , , , , ...calls] = conversations['second-round'];
  return [...round, ...calls, { role: 'assistant', content: 'It is 19 degrees in Rome and 11 in Paris.' }];
}

/**
 * A control request with as many messages and bytes, but without tools. A target that refuses it too has a
 * bound (§8).
 */
export function createControl(conditions: Conditions): Ask {
  const { endpoint, model, bytes } = conditions;
  const { messages } = bodyUnder(conditions);
  const of = { ...plain, endpoint, model, bytes };
  const said = messages?.map(({ role, content }) => ({ role: role === 'tool' ? 'user' : role, content }));
  const control = requestUnder(of, (body) => (said ? { ...body, messages: said } : body));
  return asLongAs(requestUnder(conditions), control);
}

/** The request, padded with white space to the length of the other. */
export function asLongAs(other: Ask, request: Ask): Ask {
  const [long, { body: _, ...short }] = [writeBody(other), { ...request, text: writeBody(request) }];
  return { ...short, text: padded(short.text, Buffer.byteLength(long)) };
}

function writeBody({ body, text }: Ask): string {
  return text ?? jsonText(body);
}

const call = (id: string, city: string) =>
  ({
    id,
    type: 'function',
    function: { name: weatherTool.function.name, arguments: JSON.stringify({ city }) },
  }) as const;

const round = [
  { role: 'user', content: 'What is the weather in Oslo?' },
  { role: 'assistant', content: 'One moment.', tool_calls: [call('call_1', 'Oslo')] },
  { role: 'tool', tool_call_id: 'call_1', content: '{"celsius":4}' },
] as const satisfies readonly Message[];

/**
 * Conversations with tool calls (§3): one call, and two more in a second round; and one that ends with an
 * assistant message.
 */
const conversations = {
  answered: [
    { role: 'user', content: 'Say ping.' },
    { role: 'assistant', content: 'Ping.' },
  ],
  result: round,
  'second-round': [
    ...round,
    { role: 'assistant', content: 'It is 4 degrees in Oslo.' },
    { role: 'user', content: 'And in Rome and Paris?' },
    {
      role: 'assistant',
      content: 'One moment.',
      tool_calls: [call('call_2', 'Rome'), call('call_3', 'Paris')],
    },
    { role: 'tool', tool_call_id: 'call_2', content: '{"celsius":19}' },
    { role: 'tool', tool_call_id: 'call_3', content: '{"celsius":11}' },
  ],
} as const satisfies Record<Exclude<Turn, 'first'>, ChatCompletionRequest['messages']>;

/** Adds white space after the opening brace, which keeps the meaning (RFC 8259). */
function padded(text: string, bytes: number): string {
  const missing = bytes - Buffer.byteLength(text);
  return missing > 0 ? `${text.slice(0, 1)}${' '.repeat(missing)}${text.slice(1)}` : text;
}

/** Describes the conditions that differ from the usual ones. */
export function describeConditions(conditions: Partial<Conditions>): string {
  const { endpoint, model, type, connection, company, bytes, turn, extra, credential } = conditions;
  const { shape, zeroByte, hasCharset } = conditions;
  return [
    endpoint,
    model && `model ${model}`,
    type && type !== plain.type && `${headerNames.settlementType} ${type}`,
    connection && connection !== plain.connection && 'a reused connection',
    company && company !== plain.company && 'concurrent requests',
    bytes ? `${bytes} bytes` : undefined,
    turn === 'result' && 'the turn after a tool call',
    turn === 'second-round' && 'the turn after two rounds of tool calls',
    turn === 'answered' && 'a last message of role assistant',
    extra && extra !== plain.extra && `extra ${JSON.stringify(extraMembers[extra])}`,
    credential &&
      credential !== plain.credential &&
      `the headers ${Object.keys(credentialHeaders[credential]).join(', ')}`,
    shape === 'one-token' && 'a single token',
    shape === 'defaults' && 'no optional fields',
    shape === 'long' && 'a text outside ASCII at temperature 0',
    shape === 'one-message' && 'a single message',
    shape === 'two-tools' && 'two tools',
    zeroByte && `a zero byte at the beginning of ${zeroByte}`,
    hasCharset && 'the charset of the JSON named',
  ]
    .filter((word) => typeof word === 'string')
    .join(', ');
}
