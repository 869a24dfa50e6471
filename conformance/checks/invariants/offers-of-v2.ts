import { headerNames } from '@paid-inference/contract/constants';
import { type Check, closingCheck } from '../../context/check.ts';
import { written } from '../../sources/judgements.ts';
import { readOptionsOfVersion2 } from '../../sources/options-of-v2.ts';
import { offerIn, paymentRequired } from '../../sources/sources.ts';
import type { Past } from '../../sources/transcript-queries.ts';
import { broken, holds, type Judgement, notApplicable } from '../../types/verdict.ts';
import { member } from '../../wire/base64-json.ts';
import { findPaymentRequired } from '../unpaid/payment-required.ts';

/** Checks the offers of x402 v2, which a gateway may send beside its own (D-354). */
export const offersOfVersion2Checks: readonly Check[] = [
  closingCheck(
    'offer.same-in-v2',
    `Every offer in ${headerNames.paymentRequiredV2} has the price, token and recipient of ${headerNames.paymentRequired}`,
    async (context) => {
      // Usually asked before, unless a filter selects only this check.
      const asked = await paymentRequired(context, 'chat');
      if (!asked.ok) return asked.verdict;
      const judged = (await findPaymentRequired(context)).flatMap((past) => {
        const options = readOptions(past);
        return options.length > 0 ? [{ past, verdict: judgeOptions(past, options) }] : [];
      });
      const faults = judged.filter(({ verdict }) => verdict.kind === 'broken');
      context.cite(faults.map(({ past }) => past));
      const [first] = faults;
      if (first) return first.verdict;
      return judged.length > 0
        ? holds(`${judged.length} offers`)
        : notApplicable(`no 402 has an offer in ${headerNames.paymentRequiredV2}`);
    },
  ),
];

type Option = { readonly amount: unknown; readonly asset: unknown; readonly payTo: unknown };

function readOptions(past: Past): readonly Option[] {
  return readOptionsOfVersion2(past).map((each) => ({
    amount: member(each, 'amount'),
    asset: member(each, 'asset'),
    payTo: member(each, 'payTo'),
  }));
}

/** Other tokens may have other terms, but the offered token must be there, with the offered terms. */
function judgeOptions(past: Past, options: readonly Option[]): Judgement {
  const offered = offerIn(past);
  // Other checks judge offers that cannot be signed.
  if (!offered.ok) return holds();
  const { maxAmountRequired, asset, payTo } = offered.value;
  const isSame = (one: unknown, other: string) => String(one).toLowerCase() === other.toLowerCase();
  const inToken = options.filter((option) => isSame(option.asset, asset));
  const wrong = inToken.find(
    (option) => option.amount !== maxAmountRequired.toString() || !isSame(option.payTo, payTo),
  );
  if (inToken.length > 0 && wrong === undefined) return holds();
  const expected = `${maxAmountRequired} units of ${asset} to ${payTo}`;
  return broken(expected, `${written(wrong ?? options[0])} (request ${past.number})`);
}
