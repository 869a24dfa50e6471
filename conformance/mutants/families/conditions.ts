import type { RequirementId } from '@paid-inference/contract/requirements';
import {
  anotherModel,
  both,
  type Condition,
  has,
  hasResult,
  isBeside,
  isLarge,
  isLong,
  isReused,
  isSecondRound,
  isStreamed,
  isText,
  knowing,
  model,
  parseBody,
  takingStreams,
  type,
} from '../conditions.ts';
import type { Edge } from '../edge.ts';
import { isUnpaid, offering, reading } from '../edits.ts';
import type { Asked } from '../message.ts';
import type { Mutant } from '../mutant.ts';
import { findEndpoint, type Json, messagesIn, withJson, withMember } from '../wire-edits.ts';

type Conditional = readonly [id: string, when: string, condition: Condition];

const conditions: readonly Conditional[] = [
  ['third-model', 'for its third model', model(2)],
  ['last-model', 'for its last model', model(-1)],
  ['reused-connection', 'on a reused connection', isReused],
  ['beside-others', 'while other requests are in progress', isBeside],
  ['large-body', 'for a body of more than 64 KiB', isLarge],
  ['second-round', 'in a second round of tool calls', isSecondRound],
  [
    'result-for-another-model',
    'after a tool result for any model except the first',
    both(hasResult, anotherModel),
  ],
  [
    'private-third-model',
    'for its third model with settlement type `private`',
    both(model(2), type('private')),
  ],
  [
    'individual-last-model-',
    'for its last model with settlement type `individual`',
    both(model(-1), type('individual')),
  ],
  ['text-third-model', 'for a text completion with its third model', both(isText, model(2))],
  [
    'batch-reused-connection',
    'on a reused connection with settlement type `batch`',
    both(isReused, type('batch')),
  ],
  [
    'long-beside-others',
    'for a body of more than 4,000 characters while other requests are in progress',
    both(isLong, isBeside),
  ],
  [
    'private-large-body',
    'for a body of more than 64 KiB with settlement type `private`',
    both(isLarge, type('private')),
  ],
  [
    'user-with-individual',
    'for a body with `user` and settlement type `individual`',
    both(has('user'), type('individual')),
  ],
  [
    'stream-reused-connection',
    'for a body with `stream` on a reused connection',
    both(has('stream'), isReused),
  ],
  [
    'second-round-private',
    'in a second round of tool calls with settlement type `private`',
    both(isSecondRound, type('private')),
  ],
];

const failed = {
  error: { message: 'Something went wrong.', type: 'server_error', code: 'internal_error' },
} as const;
const served = {
  id: 'c-1',
  object: 'chat.completion',
  created: 1_700_000_000,
  model: 'm',
  choices: [{ index: 0, message: { role: 'assistant', content: 'pong' }, finish_reason: 'stop' }],
  usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 },
};

function mutant(
  [id, when, condition]: Conditional,
  suffix: string,
  does: string,
  kills: readonly RequirementId[],
  change: (isMet: (asked: Asked) => boolean) => Edge,
  place: 'read' | 'respond' = 'respond',
): Mutant {
  return {
    id: `${id.replace(/-$/, '')}-${suffix}`,
    does: `${does} ${when}`,
    place,
    kills,
    edge: knowing(change, both(isUnpaid, condition)),
  };
}

/** Corrects the first invalid member of a body of the suite. */
function mended(body: Json): Json | undefined {
  if (typeof body['max_tokens'] === 'string') return { ...body, max_tokens: 16 };
  const { temperature } = body;
  const isWrong = typeof temperature === 'string' || Number(temperature) > 2;
  return isWrong ? { ...body, temperature: 1 } : undefined;
}

const replies =
  (status: number, body: Json) =>
  (isMet: (asked: Asked) => boolean): Edge => ({
    respond: (reply, asked) =>
      isMet(asked) && reply.status === 402 ? withJson({ ...reply, status }, body) : reply,
  });

/**
 * Conditions under which a gateway may reject a request. The contract shows no rule for sizes and unknown
 * members, and the list of models may name a model that an endpoint does not sell (contract 1, 2, 8).
 */
const mayBeRefused = new Set([
  'sixth-model',
  'third-model',
  'last-model',
  'text-third-model',
  'large-body',
  'private-large-body',
  'user-with-individual',
  'stream-reused-connection',
  'long-beside-others',
]);

/** Mutants with a fault under one condition, or under two together (contract 1, 3, 7). */
export const conditionMutants: readonly Mutant[] = conditions.flatMap(faultsUnder);

function faultsUnder(each: Conditional): readonly Mutant[] {
  return [
    ...(mayBeRefused.has(each[0])
      ? []
      : [
          mutant(
            each,
            'refused',
            'rejects a valid unpaid request',
            ['conditions.unpaid'],
            (isMet) => ({
              read: (asked) =>
                isMet(asked) && parseBody(asked)['model'] !== undefined ? { ...asked, text: '{}' } : asked,
            }),
            'read',
          ),
        ]),
    mutant(
      each,
      'fails',
      'returns 500 for an unpaid request',
      ['conditions.unpaid', 'error.none-5xx'],
      replies(500, failed),
    ),
    mutant(
      each,
      'unpaid-served',
      'serves an unpaid request',
      ['conditions.unpaid', 'unpaid.never-200'],
      replies(200, served),
    ),
    mutant(each, 'offer-of-mainnet', 'offers another network', ['offer.network'], (isMet) => ({
      respond: offering((offer) => withMember(offer, 'network', 'eip155:8453'), { when: isMet }),
    })),
  ];
}

const invalid: readonly Conditional[] = [
  ...conditions.filter(([id]) =>
    ['reused-connection', 'beside-others', 'large-body', 'second-round', 'last-model'].includes(id),
  ),
];

const anyTemperature: Mutant = {
  id: 'any-temperature-with-individual-taken',
  does: 'accepts any `temperature` with settlement type `individual`',
  place: 'read',
  kills: ['conditions.invalid'],
  edge: knowing(
    (isMet) => ({
      read: (asked, forge) => {
        const endpoint = findEndpoint(asked);
        const mend = (body: Json) =>
          Number(body['temperature']) > 2 ? { ...body, temperature: 1 } : undefined;
        return endpoint && isMet(asked) ? reading(endpoint, mend)(asked, forge) : asked;
      },
    }),
    both(isUnpaid, type('individual')),
  ),
};

/** Mutants that do not validate a body under some condition. */
export const invalidConditionMutants: readonly Mutant[] = [
  ...invalid.map(unreadUnder),
  takingStreams(unreadUnder(['stream', 'for a body with `stream: true`', isStreamed])),
  anyTemperature,
  anyRole(['top-k', 'for a body with `top_k`', has('top_k')]),
  anyRole(['tools', 'for a body with `tools`', has('tools')]),
  anyRole(['result', 'after a tool call', hasCall]),
  takingStreams(anyRole(['stream', 'for a body with `stream: true`', isStreamed])),
];

const sixthModel: Conditional = ['sixth-model', 'for its sixth model', model(5)];
/** Only a gateway that lists six models reveals these mutants. */
export const sixthModelMutants: readonly Mutant[] = [...faultsUnder(sixthModel), unreadUnder(sixthModel)];

function hasCall(asked: Asked): boolean {
  return messagesIn(parseBody(asked)).some(({ tool_calls: calls }) => calls !== undefined);
}

/** Does not validate the role of the last message. */
function anyRole(each: Conditional): Mutant {
  const withRole = (body: Json): Json | undefined => {
    const messages = messagesIn(body);
    const last = messages.at(-1);
    if (!last || ['system', 'user', 'assistant', 'tool'].includes(String(last['role']))) return undefined;
    const role = last['tool_call_id'] === undefined ? 'user' : 'tool';
    return { ...body, messages: [...messages.slice(0, -1), { ...last, role }] };
  };
  return mutant(
    each,
    'any-role-taken',
    'accepts any `role` of the last message',
    ['conditions.invalid'],
    (isMet) => ({
      read: (asked, forge) => (isMet(asked) ? reading('chat', withRole)(asked, forge) : asked),
    }),
    'read',
  );
}

/** Adds `messages` and `prompt` to a body without either. The endpoint ignores the one it does not know. */
function completed(body: Json): Json | undefined {
  if (body['messages'] !== undefined || body['prompt'] !== undefined) return undefined;
  return { ...body, messages: [{ role: 'user', content: 'Say pong.' }], prompt: 'One, two, three,' };
}

function unreadUnder(each: Conditional): Mutant {
  return mutant(
    each,
    'unread',
    'accepts an invalid body',
    ['conditions.invalid'],
    (isMet) => ({
      read: (asked, forge) => {
        const endpoint = findEndpoint(asked);
        return endpoint && isMet(asked)
          ? reading(endpoint, (body) => mended(body) ?? (each === sixthModel ? completed(body) : undefined))(
              asked,
              forge,
            )
          : asked;
      },
    }),
    'read',
  );
}
