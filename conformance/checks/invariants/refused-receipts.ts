import { headerNames } from '@paid-inference/contract/constants';
import { closingCheck } from '../../context/check.ts';
import { isRefusal } from '../../sources/judgements.ts';
import { paidChat, served } from '../../sources/paid-source.ts';
import { listResponses, type Past, readPayment } from '../../sources/transcript-queries.ts';
import { broken, holds } from '../../types/verdict.ts';
import { readReceipt } from '../responses/receipt.ts';

/**
 * A receipt with `success` true says that the payment settled (§2.11). Only payments of served requests settle (§3), so no
 * refusal may say so (D-444). A refusal of a payment that was served may repeat its receipt.
 */
export const refusedReceiptChecks = [
  closingCheck('receipt.success', 'No refusal says that its payment settled', async (context) => {
    // Usually paid before, unless a filter selects only this check.
    const paid = await served(paidChat(context));
    if (!paid.ok) return paid.verdict;
    const settled = new Set(listResponses(context, 200).map(readNonce));
    const wrong = listResponses(context).filter((past) => {
      const receipt = readReceipt({ answered: past });
      const isSettled = receipt.ok && receipt.value['success'] === true;
      return isRefusal(past) && isSettled && !settled.has(readNonce(past));
    });
    context.cite(wrong);
    const [first] = wrong;
    if (!first) return holds();
    const actual = `a receipt with \`success\` true on response ${first.number} (${first.outcome.status})`;
    return broken(`no ${headerNames.paymentResponse} with \`success\` true on a refusal`, actual);
  }),
];

/** The nonce of the payment; an empty text without one, which no served request has. */
function readNonce(past: Past): string {
  return readPayment(past)?.authorization.nonce.toLowerCase() ?? '';
}
