import type { RequirementId } from '@paid-inference/contract/requirements';
import type { Edge } from '../edge.ts';
import type { Asked } from '../message.ts';
import { type Mutant, reads } from '../mutant.ts';
import type { PaymentForge } from '../payment-forge.ts';
import {
  type Endpoint,
  findEndpoint,
  headerNamed,
  isObject,
  isPaid,
  type Json,
  objectIn,
  readPayment,
  readUnits,
  without,
} from '../wire-edits.ts';
import { readPayer } from './signature.ts';

const amountMaxUnits = 1n << 64n;

type Term = (authorization: Json, forge: { readonly payer: string; readonly nowSeconds: number }) => boolean;
type Fault = (asked: Asked, forge: PaymentForge) => Promise<boolean>;
const isForeign: Term = ({ to }, { payer }) => String(to).toLowerCase() === payer;
/** The payment becomes valid later than now, at most `seconds` later. */
const isEarly =
  (seconds: number): Term =>
  ({ validAfter }, { nowSeconds }) =>
    Number(validAfter) > nowSeconds && Number(validAfter) <= nowSeconds + seconds;
/** The payment expired before now, at most `seconds` ago. */
const isLate =
  (seconds: number): Term =>
  ({ validBefore }, { nowSeconds }) =>
    Number(validBefore) < nowSeconds && Number(validBefore) >= nowSeconds - seconds;
const always = Number.POSITIVE_INFINITY;

const isOver = async (asked: Asked, forge: PaymentForge): Promise<boolean> => {
  const [value, price] = [asked, await forge.paidBy('payer', asked)].map((each) =>
    readUnits(readPayment(each)?.authorization['value']),
  );
  return value !== undefined && price !== undefined && value > price && value < amountMaxUnits;
};

/** Faults of payments that a mutant serves. `kills` applies to the chat endpoint. */
const faults: readonly (readonly [
  id: string,
  does: string,
  kills: readonly RequirementId[],
  isServed: Fault,
])[] = [
  [
    'any-recipient',
    'accepts a payment to a recipient other than `payTo`',
    ['payment.other-recipient.refused'],
    byTerm(isForeign),
  ],
  [
    'not-yet-valid-served',
    'ignores `validAfter`',
    ['payment.not-yet-valid.refused'],
    byTerm(isEarly(always)),
  ],
  [
    'not-yet-valid-served-for-an-hour',
    'accepts a payment that becomes valid within one hour',
    ['payment.not-yet-valid.refused'],
    byTerm(isEarly(3_600)),
  ],
  [
    'not-yet-valid-served-for-minutes',
    'accepts a payment that becomes valid within five minutes',
    ['payment.not-yet-valid.refused'],
    byTerm(isEarly(300)),
  ],
  ['expired-served', 'ignores `validBefore`', ['payment.expired.refused'], byTerm(isLate(always))],
  [
    'expired-served-for-hours',
    'accepts a payment that expired at most two hours ago',
    ['payment.expired.refused'],
    byTerm(isLate(7_200)),
  ],
  [
    'expired-served-for-minutes',
    'accepts a payment that expired at most five minutes ago',
    ['payment.expired.refused'],
    byTerm(isLate(300)),
  ],
  [
    'window-ignored',
    'ignores `validAfter` and `validBefore`',
    ['payment.not-yet-valid.refused', 'payment.expired.refused'],
    byTerm((...authorization) => isEarly(always)(...authorization) || isLate(always)(...authorization)),
  ],
  [
    'over-maximum-served',
    'accepts a payment above `maxAmountRequired`',
    ['payment.over-maximum.refused'],
    isOver,
  ],
];

type NamedTerm = (accepted: Json, authorization: Json) => boolean;

/** Faults that believe the terms in the payment. The signature and the balance are still checked. */
const believed: readonly (readonly [id: string, does: string, isBelieved: NamedTerm])[] = [
  ['amount', 'takes the amount', ({ amount }, { value }) => amount === value],
  ['one-unit', 'takes an amount of one unit', ({ amount }, { value }) => amount === '1' && value === '1'],
  [
    'recipient',
    'takes the recipient',
    ({ payTo }, { to }) => String(payTo).toLowerCase() === String(to).toLowerCase(),
  ],
];

/** Mutants that believe a term that a payment names in `accepted` (contract 4.4, D-424). */
const believingMutants: readonly Mutant[] = believed.map(([id, does, isBelieved]) =>
  serving(
    `${id}-named-taken`,
    `${does} that the payment names in \`accepted\``,
    ['payment.own-terms.refused'],
    'chat',
    async (asked, forge) => {
      const accepted = objectIn(asked.headers['x-payment'])?.['accepted'];
      const { authorization = {} } = readPayment(asked) ?? {};
      if (!isObject(accepted) || !isBelieved(accepted, authorization)) return false;
      return (await forge.recoverSigner(asked)) === readPayer(readPayment(asked));
    },
  ),
);

/** Compares a funded payment with the price of the newest unpaid request of anyone (contract 2.8, D-439). */
function newestPrice(isRefused: (value: bigint, newest: bigint) => boolean): Edge {
  let newest: bigint | undefined;
  return {
    read: (asked, forge) => {
      const payment = readPayment(asked);
      const value = readUnits(payment?.authorization['value']);
      const isFunded = readPayer(payment) === forge.payer;
      const isWrong = isFunded && value !== undefined && newest !== undefined && isRefused(value, newest);
      return isWrong ? { ...asked, headers: without(asked.headers, 'x-payment') } : asked;
    },
    respond: (reply, asked) => {
      const offer = objectIn(headerNamed(reply.headers, 'X-PAYMENT-REQUIRED'));
      if (offer && !isPaid(asked)) newest = readUnits(offer['maxAmountRequired']);
      return reply;
    },
  };
}

/** Mutants that serve payments with wrong terms (contract 2.9). The edge replaces them by valid ones. */
export const termsMutants: readonly Mutant[] = [
  ...believingMutants,
  {
    id: 'newest-price-demanded',
    does: 'refuses a funded payment above the price of the newest unpaid request',
    place: 'read',
    kills: ['chat.200.status'],
    edge: () => newestPrice((value, newest) => value > newest),
  },
  {
    id: 'exact-newest-price-demanded',
    does: 'refuses a funded payment of another amount than the price of the newest unpaid request',
    place: 'read',
    kills: ['chat.200.status'],
    edge: () => newestPrice((value, newest) => value !== newest),
  },
  ...faults.flatMap(([id, does, kills, isServed]) => [
    serving(id, `${does} (chat)`, kills, 'chat', isServed),
    serving(
      `${id}-for-text`,
      `${does} (completions)`,
      ['payment.completions.refused'],
      'completions',
      isServed,
    ),
  ]),
];

function byTerm(term: Term): Fault {
  return async (asked, forge) => term(readPayment(asked)?.authorization ?? {}, forge);
}

function serving(
  id: string,
  does: string,
  kills: readonly RequirementId[],
  endpoint: Endpoint,
  isServed: Fault,
): Mutant {
  return reads(id, does, kills, async (asked, forge) => {
    if (findEndpoint(asked) !== endpoint || !readPayment(asked)) return asked;
    if (!(await isServed(asked, forge))) return asked;
    // A payer without funds is not served, because the mutant still checks the balance.
    return forge.paidBy(readPayer(readPayment(asked)) === forge.payer ? 'payer' : 'stranger', asked);
  });
}
