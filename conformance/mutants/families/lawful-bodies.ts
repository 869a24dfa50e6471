import type { RequirementId } from '@paid-inference/contract/requirements';
import { reading } from '../edits.ts';
import type { Asked } from '../message.ts';
import { type Mutant, reads } from '../mutant.ts';
import { endpointOf, isObject, isPaid, type Json, messagesOf, withJson } from '../wire-edits.ts';

type Refusal = readonly [id: string, does: string, isRefused: (body: Json, asked: Asked) => boolean];

const callsOf = (body: Json): readonly (readonly unknown[])[] =>
  messagesOf(body).flatMap(({ tool_calls: calls }) => (Array.isArray(calls) ? [calls] : []));

const textOf = (body: Json): string =>
  messagesOf(body)
    .map(({ content }) => String(content))
    .join(' ');

/** Bodies that keep every rule of the contract, in shapes that no fixed check sends (contract 2, 3). */
const refused: readonly Refusal[] = [
  [
    'two-calls-refused',
    'refuses two tool calls in one message',
    (body) => callsOf(body).some(({ length }) => length > 1),
  ],
  ['two-rounds-refused', 'refuses a second round of tool calls', (body) => callsOf(body).length > 1],
  [
    'results-in-order-demanded',
    'refuses results in another order than their calls',
    (body) => {
      const ids = callsOf(body)
        .flat()
        .map((call) => (isObject(call) ? call['id'] : undefined));
      const results = messagesOf(body).flatMap(({ tool_call_id: id }) => (id === undefined ? [] : [id]));
      return results.length === ids.length && results.some((id, index) => id !== ids[index]);
    },
  ],
  [
    'nested-parameters-refused',
    'refuses tools whose parameters are nested',
    ({ tools }) =>
      /"(items|enum|properties)":.*"(items|enum)":|"type":"object".*"type":"object"/.test(
        JSON.stringify(tools ?? ''),
      ),
  ],
  [
    'exponents-refused',
    'refuses numbers with an exponent',
    (_, { text }) => /"temperature"\s*:\s*[\d.]+[eE]/.test(text),
  ],
  [
    'escaped-names-refused',
    'refuses names of members that are escaped',
    (_, { text }) => /^\s*\{\s*"\\u/.test(text),
  ],
  [
    'joined-characters-refused',
    'refuses characters that are joined of several',
    (body) => /\u200d/u.test(textOf(body)),
  ],
  [
    'two-system-messages-refused',
    'refuses a second system message',
    (body) => messagesOf(body).filter(({ role }) => role === 'system').length > 1,
  ],
  [
    'system-messages-on-the-way-refused',
    'refuses a system message that is not the first',
    (body) => messagesOf(body).some(({ role }, at) => role === 'system' && at > 0),
  ],
  [
    'capitals-in-names-refused',
    'refuses names with capitals',
    (body) => messagesOf(body).some(({ name }) => /[A-Z]/.test(String(name ?? ''))),
  ],
  [
    'hyphens-in-tools-refused',
    'refuses names of tools with hyphens',
    ({ tools }) => /"name":"\w*-/.test(JSON.stringify(tools ?? '')),
  ],
  ['right-to-left-refused', 'refuses Hebrew and Arabic', (body) => /[\u0590-\u06ff]/u.test(textOf(body))],
  ['line-breaks-refused', 'refuses JSON over several lines', (_, { text }) => /\{\r?\n/.test(text)],
];

/** Requirements with a fixed check that sends such a body too. */
const sentElsewhere: Readonly<Record<string, readonly RequirementId[]>> = {
  'two-calls-refused': ['body.valid.unpaid'],
  'nested-parameters-refused': ['body.valid.unpaid'],
  'two-rounds-refused': ['conditions.unpaid'],
};

type Fault = readonly [id: string, does: string, isMet: (asked: Asked) => boolean];

const failing: readonly Fault[] = [
  ['deep-bodies-fail', 'answers 500 to deeply nested JSON', ({ text }) => text.includes('['.repeat(1_000))],
  ['half-surrogates-fail', 'answers 500 to half of a surrogate pair', ({ text }) => text.includes('\\ud800')],
  ['marked-bodies-fail', 'answers 500 to a byte order mark', ({ text }) => text.startsWith('\ufeff')],
  [
    'names-twice-fail',
    'answers 500 to a name that comes twice',
    ({ text }) => text.split('"messages":').length > 2,
  ],
  [
    'long-names-fail',
    'answers 500 to a name of thousands of characters',
    ({ text }) => text.includes('x'.repeat(10_000)),
  ],
  [
    'prototype-names-fail',
    'answers 500 to a name of the prototype',
    ({ text }) => text.includes('__proto__'),
  ],
  [
    'numbers-beyond-bounds-fail',
    'answers 500 to a number beyond all bounds',
    ({ text }) => text.includes('1e999'),
  ],
];

const error = {
  error: { message: 'Something went wrong.', type: 'server_error', code: 'internal_error' },
} as const;

/** What becomes of lawful bodies that are rare, and of unusual ones. */
export const lawfulBodyMutants: readonly Mutant[] = [
  ...refused.map(([id, does, isRefused]) =>
    reads(id, does, ['robustness.valid-bodies', ...(sentElsewhere[id] ?? [])], (asked, forge) =>
      reading('chat', (body) => (!isPaid(asked) && isRefused(body, asked) ? {} : undefined))(asked, forge),
    ),
  ),
  ...failing.map(
    ([id, does, isMet]): Mutant => ({
      id,
      does,
      place: 'answer',
      kills: ['robustness.unusual-bodies'],
      edge: () => ({
        answer: (reply, asked) =>
          endpointOf(asked) && isMet(asked) ? withJson({ ...reply, status: 500 }, error) : reply,
      }),
    }),
  ),
];
