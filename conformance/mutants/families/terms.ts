import type { RequirementId } from '@paid-inference/contract/requirements';
import { type Mutant, reads } from '../mutant.ts';
import { type Json, paymentOf } from '../wire-edits.ts';

/** Far enough from now that no clock of this test decides. */
const farSeconds = 1_800;
const amountMaxUnits = 1n << 64n;

type Term = (authorization: Json, house: { readonly payer: string; readonly nowSeconds: number }) => boolean;
const isForeign: Term = ({ to }, { payer }) => String(to).toLowerCase() === payer;
const isEarly: Term = ({ validAfter }, { nowSeconds }) => Number(validAfter) > nowSeconds + farSeconds;
const isLate: Term = ({ validBefore }, { nowSeconds }) => Number(validBefore) < nowSeconds - farSeconds;

/** Payments that are served though they are none (contract 2.9): the gateway gets to read a good one in their place. */
export const termsMutants: readonly Mutant[] = [
  serving(
    'any-recipient',
    'serves a payment to another than `payTo`',
    ['payment.other-recipient.refused'],
    isForeign,
  ),
  serving(
    'not-yet-valid-served',
    'does not look at `validAfter`',
    ['payment.not-yet-valid.refused'],
    isEarly,
  ),
  serving('expired-served', 'does not look at `validBefore`', ['payment.expired.refused'], isLate),
  serving(
    'window-ignored',
    'does not look at the window of a payment',
    ['payment.not-yet-valid.refused', 'payment.expired.refused'],
    (...of) => isEarly(...of) || isLate(...of),
  ),
  reads(
    'over-maximum-served',
    'takes a payment of more than it asked for',
    ['payment.over-maximum.refused'],
    async (asked, house) => {
      const payment = paymentOf(asked);
      if (!payment) return asked;
      const good = await house.paidBy('payer', asked);
      const [value, price] = [payment, paymentOf(good)].map((each) =>
        BigInt(String(each?.authorization['value'])),
      );
      const isOver = value !== undefined && price !== undefined && value > price && value < amountMaxUnits;
      return isOver ? good : asked;
    },
  ),
];

function serving(id: string, does: string, kills: readonly RequirementId[], isServed: Term): Mutant {
  return reads(id, does, kills, async (asked, house) => {
    const payment = paymentOf(asked);
    return payment && isServed(payment.authorization, house) ? house.paidBy('payer', asked) : asked;
  });
}
