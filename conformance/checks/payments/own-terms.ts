import { check } from '../../context/check.ts';
import type { Context } from '../../context/context.ts';
import { uint256Max } from '../../payment/offer.ts';
import { namingTerms } from '../../payment/own-terms.ts';
import { describe, judgeTransient } from '../../sources/judgements.ts';
import { servedAt } from '../../sources/paid-source.ts';
import { offer } from '../../sources/sources.ts';
import { isAboutFunds, paidByThrowaway, type Spoil } from '../../sources/throwaway-source.ts';
import { type Found, given } from '../../types/found.ts';
import { broken, holds, type Judgement, notApplicable } from '../../types/verdict.ts';
import type { Answered } from '../../wire/exchange.ts';
import { judgeAsTerms, signing } from './amounts.ts';
import { isRefusedForTerms } from './conditions-terms.ts';

const stranger = `0x${'19'.repeat(20)}`;
const id = 'payment.own-terms.refused';

/**
 * Checks that terms within a payment do not replace those of `X-PAYMENT-REQUIRED` (§4.4, D-424). The key without funds
 * pays, so the run costs nothing more. Both endpoints should read payments alike, so only chat is tested.
 */
export const ownTermsChecks = [
  check(id, 'A payment to another recipient, which it names in `accepted`, is refused', (context) =>
    judgeAsTerms(context, 'chat', 'to-self', (of) => ({
      ...signing({ to: stranger }),
      beside: namingTerms(of, { payTo: stranger }),
    })),
  ),
  check(id, 'A payment of one unit more, which it names in `accepted`, is refused', async (context) => {
    const priced = await offer(context, 'chat');
    if (!priced.ok) return priced.verdict;
    const { maxAmountRequired } = priced.value;
    if (maxAmountRequired === uint256Max) return notApplicable('one unit above the price exceeds a uint256');
    const amount = (maxAmountRequired + 1n).toString();
    return judgeAsTerms(context, 'chat', 'one-over', (of) => ({
      ...signing({ value: amount }),
      beside: namingTerms(of, { amount }),
    }));
  }),
  check(id, 'A payment of one unit, which it names in `accepted`, is refused', (context) =>
    given(servedAt(context, 'chat'), () => judgeOneUnit(context)),
  ),
];

const oneUnit: Spoil = () => signing({ value: '1' });
const oneUnitNamed: Spoil = (of) => ({ ...oneUnit(of), beside: namingTerms(of, { amount: '1' }) });

/** Payments that find out if the deployment refuses one unit for its amount each time. */
const controlsMax = 12;

/**
 * The contract has no lower limit of a payment (D-17). If the deployment refuses one unit for its amount, the amount in
 * the payment must not change that.
 */
async function judgeOneUnit(context: Context): Promise<Judgement> {
  const priced = await offer(context, 'chat');
  if (!priced.ok) return priced.verdict;
  if (priced.value.maxAmountRequired <= 1n) return notApplicable('the price is at most one unit');
  const pay = (spoil: Spoil): Promise<Found<Answered>> => paidByThrowaway(context, 'chat', spoil);
  const named = await pay(oneUnitNamed);
  if (!named.ok) return named.verdict;
  const passed = judgeTransient(named.value);
  if (passed) return passed;
  if (isRefusedForTerms(named.value)) return holds(`refused: ${describe(named.value)}`);
  for (let control = 0; control < controlsMax; control += 1) {
    const plain = await pay(oneUnit);
    if (!plain.ok) return plain.verdict;
    const issue = judgeTransient(plain.value);
    if (issue) return issue;
    if (!isRefusedForTerms(plain.value))
      return notApplicable('the deployment does not refuse one unit for its amount');
  }
  const expected = 'a refusal for the amount, as without `accepted`';
  return broken(
    expected,
    `${describe(named.value)}${isAboutFunds(named.value) ? ', so the amount was accepted' : ''}`,
  );
}
