import {
  both,
  type Condition,
  has,
  isBeside,
  isReused,
  isSecondRound,
  isText,
  knowing,
  model,
  modelAt,
} from '../conditions.ts';
import type { Edge } from '../edge.ts';
import { receipting } from '../edits.ts';
import type { Asked } from '../message.ts';
import type { Mutant } from '../mutant.ts';
import { isPaid, type Json, readPayment, withHeader, withJson, withMember } from '../wire-edits.ts';
import { isInChunks } from './clients.ts';
import { readPayer } from './signature.ts';

type Conditional = readonly [id: string, when: string, condition: Condition];

const conditions: readonly Conditional[] = [
  ['second-model', 'for its second model', model(1)],
  ['last-model-text', 'for a text completion with its last model', both(model(-1), isText)],
  ['middle-model', 'for the model in the middle of its list', modelAt(1 / 2)],
  ['quarter-model', 'for the model at a quarter of its list', modelAt(1 / 4)],
  ['reused-connection', 'on a reused connection', isReused],
  ['beside-others', 'while other requests are in progress', isBeside],
  ['stream', 'for a body with `stream`', has('stream')],
  ['user', 'for a body with `user`', has('user')],
  [
    'charset',
    'that names the charset of its JSON',
    ({ headers }) => /charset/.test(headers['content-type'] ?? ''),
  ],
  ['chunks', 'in chunks', isInChunks],
  ['no-accept', 'without an Accept header', ({ headers }) => headers['accept'] === undefined],
  ['second-round', 'after two rounds of tool calls', isSecondRound],
  [
    'from-zero',
    'whose `validAfter` is 0',
    (asked) => Number(readPayment(asked)?.authorization['validAfter']) === 0,
  ],
  // The other payments for the reference gateway have two signs of padding.
  ['no-padding', 'whose payment is base64 without padding', hasPadding(0)],
  ['one-padding', 'whose payment is base64 with one sign of padding', hasPadding(1)],
];

function hasPadding(signs: number): Condition {
  return ({ headers }) => headers['x-payment']?.match(/=*$/)?.[0]?.length === signs;
}

/** Returns a status for a payment with funds while another one is in progress. */
export function onePaymentAtOnce(status: number, error: Json): Edge {
  const turnedAway = new WeakSet<Asked>();
  let underWay = 0;
  return {
    read: (asked, forge) => {
      if (readPayer(readPayment(asked)) !== forge.payer) return asked;
      underWay += 1;
      if (underWay === 1) return asked;
      turnedAway.add(asked);
      return { ...asked, text: '{}' };
    },
    respond: (reply, asked, forge) => {
      if (readPayer(readPayment(asked)) === forge.payer) underWay -= 1;
      return turnedAway.has(asked)
        ? withJson(withHeader({ ...reply, status }, 'Retry-After', '1'), { error })
        : reply;
    },
  };
}

const internalError = { message: 'No.', type: 'server_error', code: 'internal_error' } as const;

/** Mutants that treat a paid request wrongly under a condition (contract 3). */
export const paidConditionMutants: readonly Mutant[] = [
  {
    id: 'paid-beside-paid-conflict',
    does: 'returns 409 for a paid request while another one is in progress',
    place: 'read',
    kills: ['conditions.paid'],
    edge: () => onePaymentAtOnce(409, { message: 'Busy.', type: 'conflict', code: 'conflict' }),
  },
  {
    id: 'paid-beside-paid-fault',
    does: 'returns 500 for a paid request while another one is in progress',
    place: 'read',
    kills: ['conditions.paid', 'error.none-5xx'],
    edge: () => onePaymentAtOnce(500, internalError),
  },
  {
    id: 'paid-long-body-lost',
    does: 'charges, and then returns 500 for a paid body of more than 2,000 bytes',
    place: 'respond',
    kills: ['conditions.paid', 'error.none-5xx'],
    edge: () => ({
      respond: (reply, asked) =>
        isPaid(asked) && reply.status === 200 && Buffer.byteLength(asked.text) > 2_000
          ? withJson({ ...reply, status: 500 }, { error: internalError })
          : reply,
    }),
  },
  ...conditions.flatMap(([id, when, condition]): readonly Mutant[] => [
    {
      id: `paid-${id}-refused`,
      does: `rejects a paid request ${when}`,
      place: 'read',
      kills: ['conditions.paid'],
      edge: knowing(
        (isMet) => ({
          // Other checks cover payments of the key without funds.
          read: (asked, forge) =>
            readPayer(readPayment(asked)) === forge.payer && isMet(asked) ? { ...asked, text: '{}' } : asked,
        }),
        both(isPaid, condition),
      ),
    },
    {
      id: `paid-${id}-without-chain`,
      does: `names another chain in the receipt ${when}`,
      place: 'respond',
      kills: ['served.receipt'],
      edge: knowing(
        (isMet) => ({
          respond: receipting((receipt) => withMember(receipt, 'chainId', 1), { when: isMet }),
        }),
        both(isPaid, condition),
      ),
    },
  ]),
];
