import type { RequirementId } from '@paid-inference/contract/requirements';
import type { Asked } from '../edge.ts';
import type { House } from '../house.ts';
import { type Mutant, reads } from '../mutant.ts';
import { type Endpoint, endpointOf, type Json, paymentOf } from '../wire-edits.ts';

/** Far enough from now that no clock of this test decides. */
const farSeconds = 1_800;
const amountMaxUnits = 1n << 64n;

type Term = (authorization: Json, house: { readonly payer: string; readonly nowSeconds: number }) => boolean;
type Fault = (asked: Asked, house: House) => Promise<boolean>;
const isForeign: Term = ({ to }, { payer }) => String(to).toLowerCase() === payer;
const isEarly: Term = ({ validAfter }, { nowSeconds }) => Number(validAfter) > nowSeconds + farSeconds;
const isLate: Term = ({ validBefore }, { nowSeconds }) => Number(validBefore) < nowSeconds - farSeconds;

const isOver = async (asked: Asked, house: House): Promise<boolean> => {
  const [value, price] = [asked, await house.paidBy('payer', asked)].map((each) =>
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
  ['not-yet-valid-served', 'does not look at `validAfter`', ['payment.not-yet-valid.refused'], of(isEarly)],
  ['expired-served', 'does not look at `validBefore`', ['payment.expired.refused'], of(isLate)],
  [
    'window-ignored',
    'does not look at the window of a payment',
    ['payment.not-yet-valid.refused', 'payment.expired.refused'],
    of((...authorization) => isEarly(...authorization) || isLate(...authorization)),
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
  return async (asked, house) => term(paymentOf(asked)?.authorization ?? {}, house);
}

function serving(
  id: string,
  does: string,
  kills: readonly RequirementId[],
  endpoint: Endpoint,
  isServed: Fault,
): Mutant {
  return reads(id, does, kills, async (asked, house) => {
    if (endpointOf(asked) !== endpoint || !paymentOf(asked)) return asked;
    return (await isServed(asked, house)) ? house.paidBy('payer', asked) : asked;
  });
}
