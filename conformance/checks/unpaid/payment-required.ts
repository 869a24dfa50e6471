import { headerNames } from '@paid-inference/contract/constants';
import type { InsufficientFundsBody } from '@paid-inference/contract/types';
import { closingCheck, type JudgedId } from '../../context/check.ts';
import type { Context } from '../../context/context.ts';
import { readError } from '../../sources/judgements.ts';
import { decodeRequirements, offerHeader, paymentRequired } from '../../sources/sources.ts';
import {
  faultsOfPayments,
  firstUses,
  isReported,
  listRandomResponses,
  listResponses,
  type Past,
  readPaymentHeader,
  unreported,
} from '../../sources/transcript-queries.ts';
import { broken, holds } from '../../types/verdict.ts';
import { decodeBase64 } from '../../wire/base64-json.ts';

// The compiler compares this constant with the contract's types.
const insufficientFunds = 'insufficient_funds' as const satisfies InsufficientFundsBody['error']['code'];

/** Checks every 402 that asks for payment (§7). */
export const paymentRequiredChecks = [
  closingCheck(
    'error.402.offer',
    `Every 402 except those for missing funds has an offer in ${headerNames.paymentRequired}`,
    async (context) => {
      // Usually asked before, unless a filter selects only this check.
      const asked = await paymentRequired(context, 'chat');
      if (!asked.ok) return asked.verdict;
      const paymentsRequired = await findPaymentRequired(context);
      const faults = unreported(context, paymentsRequired).flatMap((past) => {
        const fault = findFault(past);
        return fault && !isReported(context, ...fault.reportedBy) ? [{ past, fault }] : [];
      });
      context.cite(faults.map(({ past }) => past));
      const [first] = faults;
      if (!first) return holds(`${paymentsRequired.length} responses`);
      return broken(`base64 of a JSON object in ${headerNames.paymentRequired}`, first.fault.what);
    },
  ),
];

/**
 * Every 402 that asks for payment. A 402 for a payer without funds has its own row, even if its body breaks
 * that row.
 */
export async function findPaymentRequired(context: Context): Promise<readonly Past[]> {
  const faults = await context.once(faultsOfPayments);
  return firstUses(context, listResponses(context, 402)).filter((past) => {
    const isAboutFunds = readError(past.outcome.body)?.['code'] === insufficientFunds;
    const fault = faults.get(past.number);
    return !(hasPayment(past) && isAboutFunds) && fault !== 'funds' && fault !== 'funds or form';
  });
}

/** The 402 responses to unpaid random bodies. Only their offers are judged, if they have one (D-440). */
export function findRandomOffers(context: Context): readonly Past[] {
  return listRandomResponses(context, 402).filter((past) => !hasPayment(past));
}

/** A gateway may also read the payment header of x402 version 2. */
function hasPayment(past: Past): boolean {
  const name = headerNames.paymentSignature.toLowerCase();
  const names = Object.keys(past.request.headers).map((sent) => sent.toLowerCase());
  return readPaymentHeader(past) !== undefined || names.includes(name);
}

type Fault = { readonly what: string; readonly reportedBy: readonly JudgedId[] };

function findFault(past: Past): Fault | undefined {
  const text = offerHeader(past);
  if (!text.ok)
    return { what: text.verdict.reason, reportedBy: ['unpaid.402.header-present', 'payment.malformed'] };
  if (!decodeBase64(text.value).ok)
    return { what: `no valid base64 in response ${past.number}`, reportedBy: ['unpaid.402.header-base64'] };
  const offered = decodeRequirements(past);
  return offered.ok ? undefined : { what: offered.verdict.reason, reportedBy: ['unpaid.402.header-object'] };
}
