import type { RequirementId } from '@paid-inference/contract/requirements';
import { reading } from '../edits.ts';
import { type Mutant, reads, responds } from '../mutant.ts';
import { type Endpoint, findEndpoint, isObject, isPaid, type Json, withJson } from '../wire-edits.ts';

function listObjects(value: unknown): readonly Json[] {
  return Array.isArray(value) ? value.filter(isObject) : [];
}

/** A mutant that rejects a valid body. The edge replaces the body by an empty object. */
function refusing(
  id: string,
  what: string,
  isRefused: (body: Json) => boolean,
  { kills = 'body.valid.unpaid', endpoint = 'chat' }: { kills?: RequirementId; endpoint?: Endpoint } = {},
): Mutant {
  return reads(
    `refuses-${id}`,
    `rejects ${what}`,
    [kills],
    reading(endpoint, (body) => (isRefused(body) ? {} : undefined)),
  );
}

/** The same, by the text of an unpaid chat. */
function refusingText(id: string, what: string, isRefused: RegExp): Mutant {
  return reads(`refuses-${id}`, `rejects ${what}`, ['body.valid.unpaid'], (asked) =>
    findEndpoint(asked) === 'chat' && !isPaid(asked) && isRefused.test(asked.text)
      ? { ...asked, text: '{}' }
      : asked,
  );
}

const someMessage = (test: (message: Json) => boolean) => (body: Json) =>
  listObjects(body['messages']).some(test);
const someNeighbours =
  ([one, next]: readonly [string, string]) =>
  (body: Json) => {
    const roles = listObjects(body['messages']).map(({ role }) => role);
    return roles.some((role, at) => role === one && roles[at + 1] === next);
  };
const isAboutFiles = ({ content }: Json) => /(\.\.\/)+etc\/passwd/.test(String(content));
const hasFraction = (body: Json) => !Number.isInteger(body['temperature'] ?? 1);
const hasOneToken = (body: Json) => body['max_tokens'] === 1;
const hasTwo = (name: string) => (body: Json) => {
  const entries = body[name];
  return Array.isArray(entries) && entries.length > 1;
};

/** A mutant that ignores a value of a wrong type. */
function ignoring(
  id: string,
  kills: RequirementId,
  isIgnored: (value: unknown) => boolean,
  [member, place = 'body', endpoint = 'chat']: readonly [string, ('body' | 'messages')?, Endpoint?],
): Mutant {
  const strip = (object: Json): Json => {
    const { [member]: value, ...rest } = object;
    return value !== undefined && isIgnored(value) ? rest : object;
  };
  const read = reading(endpoint, (body) =>
    place === 'body'
      ? strip(body)
      : { ...body, ...(Array.isArray(body['messages']) && { messages: stripped(body['messages'], strip) }) },
  );
  const value = isIgnored === isFalse ? `\`${member}: false\`` : `\`${member}\` that is not an array`;
  const where = place === 'messages' ? ' in a message' : '';
  return reads(`ignores-${id}`, `ignores ${value}${where} (${endpoint})`, [kills], read);
}

function stripped(messages: readonly unknown[], strip: (object: Json) => Json): readonly unknown[] {
  return messages.map((message) => (isObject(message) ? strip(message) : message));
}

const isNoArray = (value: unknown) => value !== null && !Array.isArray(value);
const isFalse = (value: unknown) => value === false;

const serverError = {
  error: { message: 'Something went wrong.', type: 'server_error', code: 'internal_error' },
} as const;

/** A tokenizer that raises an exception for its special tokens. */
const failingTokens = (['chat', 'completions'] as const).map((endpoint) =>
  responds(
    `special-tokens-of-${endpoint}-fail`,
    `returns 500 for a text with \`<|endoftext|>\` (${endpoint})`,
    ['body.valid.unpaid', 'error.none-5xx'],
    (reply, asked) =>
      findEndpoint(asked) === endpoint && asked.text.includes('<|endoftext|>')
        ? withJson({ ...reply, status: 500 }, serverError)
        : reply,
  ),
);

/** Mutants that reject valid values or ignore values of a wrong type (contract 2.1 to 2.5). */
export const validEdgeMutants: readonly Mutant[] = [
  ...failingTokens,
  reads(
    'refuses-a-zero-fraction',
    'rejects an unpaid chat whose `temperature` is written as 1.0',
    ['body.valid.unpaid'],
    (asked, forge) =>
      reading('chat', () => (!isPaid(asked) && asked.text.includes('"temperature":1.0') ? {} : undefined))(
        asked,
        forge,
      ),
  ),
  refusing(
    'assistants',
    'an assistant message',
    someMessage(({ role }) => role === 'assistant'),
  ),
  refusing(
    'tool-results',
    'a tool message',
    someMessage(({ role }) => role === 'tool'),
  ),
  refusing(
    'null-beside-calls',
    'null as `content` beside `tool_calls`',
    someMessage(({ content, tool_calls: calls }) => content === null && calls !== undefined),
    { kills: 'body.message.assistant-tool-calls.content-null' },
  ),
  refusing(
    'words-beside-calls',
    'text as `content` beside `tool_calls`',
    someMessage(({ content, tool_calls: calls }) => typeof content === 'string' && calls !== undefined),
  ),
  refusing(
    'ids-of-other-forms',
    'a `tool_call_id` without the prefix `call_`',
    someMessage(({ tool_call_id: id }) => typeof id === 'string' && !id.startsWith('call_')),
  ),
  refusing(
    'calls-without-tools',
    'a tool call in a message without `tools`',
    (body) =>
      body['tools'] === undefined && someMessage(({ tool_calls: calls }) => calls !== undefined)(body),
  ),
  refusing('two-questions', 'two user messages in a row', someNeighbours(['user', 'user'])),
  refusing(
    'greetings',
    'an assistant message before the first user message',
    ({ messages }) => listObjects(messages).find(({ role }) => role !== 'system')?.['role'] === 'assistant',
  ),
  refusing(
    'questions-after-results',
    'a user message after a tool message',
    someNeighbours(['tool', 'user']),
  ),
  refusing('two-calls', 'more than one tool call in a message', someMessage(hasTwo('tool_calls'))),
  refusing(
    'names-of-assistants',
    'a `name` in an assistant message',
    someMessage(({ role, name }) => role === 'assistant' && typeof name === 'string'),
  ),
  refusing(
    'names-of-tools',
    'a `name` in a tool message',
    someMessage(({ role, name }) => role === 'tool' && typeof name === 'string'),
  ),
  refusing('fractions', 'a fractional `temperature` (chat)', hasFraction),
  refusing('fractions-for-text', 'a fractional `temperature` (completions)', hasFraction, {
    endpoint: 'completions',
  }),
  refusing(
    'heat',
    'a `temperature` above 1 and below 2',
    ({ temperature }) => Number(temperature ?? 1) > 1 && Number(temperature) < 2,
  ),
  refusing('one-token', 'a `max_tokens` of 1 (chat)', hasOneToken),
  refusing('one-token-for-text', 'a `max_tokens` of 1 (completions)', hasOneToken, {
    endpoint: 'completions',
  }),
  refusing(
    'empty-content-beside-calls',
    'an empty `content` beside tool calls',
    someMessage(({ content, tool_calls: calls }) => content === '' && Array.isArray(calls)),
  ),
  refusing(
    'zeros',
    'a message of the digit 0',
    someMessage(({ content }) => content === '0'),
  ),
  refusing('zeros-for-text', 'a prompt of the digit 0', ({ prompt }) => prompt === '0', {
    endpoint: 'completions',
  }),
  refusing('two-stops', 'more than one stop sequence (chat)', hasTwo('stop')),
  refusing('two-stops-for-text', 'more than one stop sequence (completions)', hasTwo('stop'), {
    endpoint: 'completions',
  }),
  refusingText('white-space-before', 'a chat whose JSON has white space before it', /^\s+\{/),
  refusingText('line-feeds-behind', 'a chat whose JSON has a line feed behind it', /\}\r?\n$/),
  refusing('paths-of-files', 'a text with `../etc/passwd`', someMessage(isAboutFiles)),
  refusing('two-tools', 'more than one tool', hasTwo('tools')),
  ignoring('calls-in-no-array', 'body.message.tool_calls.array', isNoArray, ['tool_calls', 'messages']),
  ignoring('false-for-calls', 'body.message.tool_calls.array', isFalse, ['tool_calls', 'messages']),
  reads(
    'ignores-tools-beside-none',
    'ignores `tools` beside `tool_choice: "none"`',
    ['body.tool.function-name'],
    reading('chat', ({ tools: _, ...rest }) => (rest['tool_choice'] === 'none' ? rest : undefined)),
  ),
  ignoring('false-for-tools', 'body.chat.tools.array', isFalse, ['tools']),
  ignoring('false-for-a-choice', 'body.chat.tool_choice.string', isFalse, ['tool_choice']),
  ignoring('false-for-tokens', 'body.chat.max_tokens.integer', isFalse, ['max_tokens']),
  ignoring('false-for-temperature', 'body.chat.temperature.number', isFalse, ['temperature']),
  ignoring('false-for-stop', 'body.chat.stop.array', isFalse, ['stop']),
  ignoring('false-for-a-name', 'body.message.name.string', isFalse, ['name', 'messages']),
  ignoring('false-for-tokens-of-text', 'body.completions.max_tokens.integer', isFalse, [
    'max_tokens',
    'body',
    'completions',
  ]),
  ignoring('false-for-stop-of-text', 'body.completions.stop.array', isFalse, ['stop', 'body', 'completions']),
];
