import type { RequirementId } from '@paid-inference/contract/requirements';
import type { Asked } from '../message.ts';

import { type Mutant, reads } from '../mutant.ts';
import type { PaymentForge } from '../payment-forge.ts';
import { type Endpoint, endpointOf, type Json, paymentOf } from '../wire-edits.ts';
import { fromOf } from './signature.ts';

const amountMaxUnits = 1n << 64n;

type Term = (authorization: Json, forge: { readonly payer: string; readonly nowSeconds: number }) => boolean;
type Fault = (asked: Asked, forge: PaymentForge) => Promise<boolean>;
const isForeign: Term = ({ to }, { payer }) => String(to).toLowerCase() === payer;
/** Begins after now, by as much as this at most. */
const isEarly =
  (seconds: number): Term =>
  ({ validAfter }, { nowSeconds }) =>
    Number(validAfter) > nowSeconds && Number(validAfter) <= nowSeconds + seconds;
/** Has ended before now, by as much as this at most. */
const isLate =
  (seconds: number): Term =>
  ({ validBefore }, { nowSeconds }) =>
    Number(validBefore) < nowSeconds && Number(validBefore) >= nowSeconds - seconds;
const always = Number.POSITIVE_INFINITY;

const isOver = async (asked: Asked, forge: PaymentForge): Promise<boolean> => {
  const [value, price] = [asked, await forge.paidBy('payer', asked)].map((each) =>
    BigInt(String(paymentOf(each)?.authorization['value'])),
  );
  return value !== undefined && price !== undefined && value > price && value < amountMaxUnits;
};

/** What is wrong with a payment that is served all the same, and what of a chat notices. */
const faults: readonly (readonly [
  id: string,
  does: string,
  kills: readonly RequirementId[],
  isServed: Fault,
])[] = [
  [
    'any-recipient',
    'serves a payment to another than `payTo`',
    ['payment.other-recipient.refused'],
    of(isForeign),
  ],
  [
    'not-yet-valid-served',
    'does not look at `validAfter`',
    ['payment.not-yet-valid.refused'],
    of(isEarly(always)),
  ],
  [
    'not-yet-valid-served-for-an-hour',
    'takes a payment that begins within an hour',
    ['payment.not-yet-valid.refused'],
    of(isEarly(3_600)),
  ],
  [
    'not-yet-valid-served-for-minutes',
    'takes a payment that begins within five minutes',
    ['payment.not-yet-valid.refused'],
    of(isEarly(300)),
  ],
  ['expired-served', 'does not look at `validBefore`', ['payment.expired.refused'], of(isLate(always))],
  [
    'expired-served-for-hours',
    'takes a payment that has ended within two hours',
    ['payment.expired.refused'],
    of(isLate(7_200)),
  ],
  [
    'expired-served-for-minutes',
    'takes a payment that has ended within five minutes',
    ['payment.expired.refused'],
    of(isLate(300)),
  ],
  [
    'window-ignored',
    'does not look at the window of a payment',
    ['payment.not-yet-valid.refused', 'payment.expired.refused'],
    of((...authorization) => isEarly(always)(...authorization) || isLate(always)(...authorization)),
  ],
  [
    'over-maximum-served',
    'takes a payment of more than it asked for',
    ['payment.over-maximum.refused'],
    isOver,
  ],
];

/** Payments that are served though they are none (contract 2.9): the gateway gets to read a good one in their place. */
export const termsMutants: readonly Mutant[] = faults.flatMap(([id, does, kills, isServed]) => [
  serving(id, `${does}, for a chat`, kills, 'chat', isServed),
  serving(`${id}-for-text`, `${does}, for a text`, ['payment.completions.refused'], 'completions', isServed),
]);

function of(term: Term): Fault {
  return async (asked, forge) => term(paymentOf(asked)?.authorization ?? {}, forge);
}

function serving(
  id: string,
  does: string,
  kills: readonly RequirementId[],
  endpoint: Endpoint,
  isServed: Fault,
): Mutant {
  return reads(id, does, kills, async (asked, forge) => {
    if (endpointOf(asked) !== endpoint || !paymentOf(asked)) return asked;
    if (!(await isServed(asked, forge))) return asked;
    // A payer who owns nothing is not served for it: the balance is looked at all the same.
    return forge.paidBy(fromOf(paymentOf(asked)) === forge.payer ? 'payer' : 'stranger', asked);
  });
}
