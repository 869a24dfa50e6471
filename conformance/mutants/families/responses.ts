import type { RequirementId } from '@paid-inference/contract/requirements';
import { replying, serving } from '../edits.ts';
import type { Asked, Reply } from '../message.ts';
import { type Mutant, responds } from '../mutant.ts';
import {
  absent,
  type Endpoint,
  isObject,
  isPaid,
  type Json,
  withHeader,
  withMember,
  withoutHeader,
} from '../wire-edits.ts';

type Wrong = readonly [requirement: RequirementId, path: string, values: Readonly<Record<string, unknown>>];

/** Invalid values of each field of a completion (contract 2.6, 2.7). Their keys are part of mutant ids. */
const chatFields: readonly Wrong[] = [
  ['chat.body.id', 'id', { missing: absent, empty: '', number: 7 }],
  ['chat.body.object', 'object', { missing: absent, other: 'chat.completion.chunk' }],
  [
    'chat.body.created',
    'created',
    { missing: absent, string: '1700000000', milliseconds: 1_700_000_000_000 },
  ],
  ['chat.body.model', 'model', { missing: absent, empty: '', null: null }],
  ['chat.body.choices', 'choices', { missing: absent, empty: [], object: {} }],
  ['chat.body.usage.prompt_tokens', 'usage.prompt_tokens', { missing: absent, string: '4', fraction: 4.5 }],
  ['chat.body.usage.completion_tokens', 'usage.completion_tokens', { missing: absent, fraction: 0.5 }],
  ['chat.body.usage.total_tokens', 'usage.total_tokens', { missing: absent, string: '5' }],
];
const completionFields: readonly Wrong[] = [
  ['completions.body.id', 'id', { missing: absent, empty: '' }],
  ['completions.body.object', 'object', { missing: absent, 'of-chat': 'chat.completion' }],
  ['completions.body.created', 'created', { missing: absent, milliseconds: 1_700_000_000_000 }],
  ['completions.body.model', 'model', { missing: absent, empty: '' }],
  ['completions.body.choices', 'choices', { missing: absent, empty: [] }],
  ['completions.body.usage', 'usage', { missing: absent }],
  ['completions.body.usage', 'usage.total_tokens', { missing: absent, fraction: 5.5 }],
];
const chatChoice: readonly Wrong[] = [
  ['chat.body.choices.index', 'index', { missing: absent, string: '0' }],
  ['chat.body.choices.message.role', 'message.role', { missing: absent, other: 'model' }],
  [
    'chat.body.choices.message.content',
    'message.content',
    { missing: absent, null: null, parts: [{ text: 'pong' }] },
  ],
  ['chat.body.choices.finish_reason', 'finish_reason', { missing: absent, null: null }],
];
const completionChoice: readonly Wrong[] = [
  ['completions.body.choices.index', 'index', { missing: absent, string: '0' }],
  ['completions.body.choices.text', 'text', { missing: absent, null: null }],
  ['completions.body.choices.finish_reason', 'finish_reason', { missing: absent, null: null }],
];

function fields(endpoint: Endpoint, wrong: readonly Wrong[], place: 'body' | 'choice'): readonly Mutant[] {
  return wrong.flatMap(([requirement, path, values]) =>
    Object.entries(values).map(([word, value]) => {
      const where = place === 'body' ? '' : 'choices-';
      const words =
        value === absent ? `omits \`${path}\` from` : `sets \`${path}\` to ${JSON.stringify(value)} in`;
      const change = (body: Json) =>
        place === 'body' ? withMember(body, path, value) : withChoices(body, path, value);
      return responds(
        `${endpoint}-${where}${path.replaceAll(/[._]/g, '-')}-${word}`,
        `${words} ${place === 'body' ? 'the body' : 'the choices'} of a paid response (${endpoint})`,
        [requirement],
        serving(change, { endpoint }),
      );
    }),
  );
}

/** Changes choices without tool calls. The mutants of `tools.ts` change choices with tool calls. */
function withChoices(body: Json, path: string, value: unknown): Json {
  const choices: readonly unknown[] = Array.isArray(body['choices']) ? body['choices'] : [];
  return {
    ...body,
    choices: choices.map((choice) =>
      isObject(choice) && choice['finish_reason'] !== 'tool_calls' ? withMember(choice, path, value) : choice,
    ),
  };
}

const isServed = { when: (asked: Asked, { status }: Reply) => isPaid(asked) && status === 200 };

/** Mutants of the response to a paid request (contract 2.6, 2.7, 4.1, 4.2). */
export const responseMutants: readonly Mutant[] = [
  ...fields('chat', chatFields, 'body'),
  ...fields('chat', chatChoice, 'choice'),
  ...fields('completions', completionFields, 'body'),
  ...fields('completions', completionChoice, 'choice'),
  responds(
    'created-in-milliseconds',
    'sends `created` in milliseconds on both endpoints',
    ['chat.body.created', 'completions.body.created'],
    serving((body) => ({ ...body, created: Number(body['created']) * 1000 })),
  ),
  responds(
    'first-model-named',
    'names its first model in every paid response, whatever model was requested',
    ['served.model'],
    serving((body) => ({ ...body, model: 'alder/alder-mini' })),
  ),
  responds(
    'one-name-for-all-models',
    'names the same unlisted model in every paid response',
    ['served.model'],
    serving((body) => ({ ...body, model: 'in-forge' })),
  ),
  responds(
    'usage-missing',
    'omits `usage` from the body of a paid response (chat)',
    ['chat.body.usage.prompt_tokens', 'chat.body.usage.completion_tokens', 'chat.body.usage.total_tokens'],
    serving((body) => withMember(body, 'usage', absent), { endpoint: 'chat' }),
  ),
  responds(
    'completions-in-the-shape-of-chat',
    'returns a text completion in the format of a chat completion',
    ['completions.body.object', 'completions.body.choices.text'],
    serving(
      (body) => ({
        ...body,
        object: 'chat.completion',
        choices: [{ index: 0, message: { role: 'assistant', content: ' four' }, finish_reason: 'stop' }],
      }),
      { endpoint: 'completions' },
    ),
  ),
  responds(
    'chat-served-as-201',
    'returns 201 instead of 200 for a paid chat',
    ['chat.200.status'],
    replying((reply) => ({ ...reply, status: 201 }), { ...isServed, endpoint: 'chat' }),
  ),
  responds(
    'chat-redirects-once-paid',
    'redirects a paid chat to another host with 307',
    ['chat.200.status'],
    replying((reply) => withHeader({ ...reply, status: 307 }, 'Location', 'https://inner.example/response'), {
      ...isServed,
      endpoint: 'chat',
    }),
  ),
  responds(
    'completions-served-as-202',
    'returns 202 instead of 200 for a paid text completion',
    ['completions.200.status'],
    replying((reply) => ({ ...reply, status: 202 }), { ...isServed, endpoint: 'completions' }),
  ),
  responds(
    'chat-declared-as-text',
    'declares chat completions as text/plain',
    ['chat.200.content-type'],
    replying((reply) => withHeader(reply, 'Content-Type', 'text/plain'), { ...isServed, endpoint: 'chat' }),
  ),
  responds(
    'chat-not-declared',
    'omits `Content-Type` from chat completions',
    ['chat.200.content-type'],
    replying((reply) => withoutHeader(reply, 'Content-Type'), { ...isServed, endpoint: 'chat' }),
  ),
  responds(
    'completions-declared-as-text',
    'declares text completions as text/plain',
    ['completions.200.content-type'],
    replying((reply) => withHeader(reply, 'Content-Type', 'text/plain'), {
      ...isServed,
      endpoint: 'completions',
    }),
  ),
  responds(
    'max-tokens-not-kept',
    'reports more completion tokens than `max_tokens` allows (chat)',
    ['chat.max_tokens.respected'],
    serving((body) => withMember(body, 'usage.completion_tokens', 99), {
      endpoint: 'chat',
      when: (asked) => asked.text.includes('"max_tokens"'),
    }),
  ),
  responds(
    'max-tokens-not-kept-for-text',
    'reports more completion tokens than `max_tokens` allows (completions)',
    ['completions.max_tokens.respected'],
    serving((body) => withMember(body, 'usage.completion_tokens', 99), { endpoint: 'completions' }),
  ),
  responds(
    'default-max-tokens-not-kept',
    'reports more completion tokens than the default when a chat has no `max_tokens`',
    ['defaults.chat.max_tokens'],
    serving((body) => withMember(body, 'usage.completion_tokens', 101), {
      endpoint: 'chat',
      when: (asked) => !asked.text.includes('"max_tokens"'),
    }),
  ),
  responds(
    'chat-answered-in-html',
    'sends an HTML page declared as JSON for a paid chat',
    ['chat.body.object'],
    replying((reply) => ({ ...reply, text: '<p>pong</p>' }), { ...isServed, endpoint: 'chat' }),
  ),
  responds(
    'completions-answered-in-text',
    'sends plain text instead of JSON for a paid text completion',
    ['completions.body.object'],
    replying((reply) => ({ ...reply, text: ' four' }), { ...isServed, endpoint: 'completions' }),
  ),
];
