import { headerNames } from '@paid-inference/contract/constants';
import type { InsufficientFundsBody } from '@paid-inference/contract/types';
import { closingCheck, type JudgedId } from '../../context/check.ts';
import type { Context } from '../../context/context.ts';
import { errorOf } from '../../sources/judgements.ts';
import { offerHeader, paymentRequired, requirementsOf } from '../../sources/sources.ts';
import {
  answersOf,
  faultsOfPayments,
  firstUses,
  isReported,
  type Past,
  paymentHeaderOf,
  unreported,
} from '../../sources/transcript-queries.ts';
import { given } from '../../types/found.ts';
import { broken, holds } from '../../types/verdict.ts';
import { decodeBase64 } from '../../wire/base64-json.ts';

// The compiler holds this to the contract's types.
const insufficientFunds = 'insufficient_funds' as const satisfies InsufficientFundsBody['error']['code'];

/** The 402 that demands payment, whatever was asked and whatever came as a payment (contract 7). */
export const paymentRequiredChecks = [
  closingCheck(
    'error.402.offer',
    `Every 402 but those for want of funds carries an offer in ${headerNames.paymentRequired}`,
    (context) =>
      // Asked already, unless a filter leaves nothing else.
      given(paymentRequired(context, 'chat'), async () => {
        const paymentsRequired = await findPaymentRequired(context);
        const faults = unreported(context, paymentsRequired).flatMap((past) => {
          const fault = faultOf(past);
          return fault && !isReported(context, ...fault.reportedBy) ? [{ past, fault }] : [];
        });
        context.cite(faults.map(({ past }) => past));
        const [first] = faults;
        return first
          ? broken(`base64 of a JSON object in ${headerNames.paymentRequired}`, first.fault.what)
          : holds(`${paymentsRequired.length} demands`);
      }),
  ),
];

/** Every 402 that demands payment. One to a payer without funds has a row of its own, also where it does not say so: then that row is broken. */
export async function findPaymentRequired(context: Context): Promise<readonly Past[]> {
  const faults = await context.once(faultsOfPayments);
  return firstUses(context, answersOf(context, 402)).filter((past) => {
    const isAboutFunds = errorOf(past.outcome.body)?.['code'] === insufficientFunds;
    const isPaid = paymentHeaderOf(past) !== undefined || hasPaymentOfVersion2(past);
    const fault = faults.get(past.number);
    return !(isPaid && isAboutFunds) && fault !== 'funds' && fault !== 'funds or letters';
  });
}

/** A gateway may read a payment in the header of x402 version 2, too. */
function hasPaymentOfVersion2({ request }: Past): boolean {
  const name = headerNames.paymentSignature.toLowerCase();
  return Object.keys(request.headers).some((sent) => sent.toLowerCase() === name);
}

type Fault = { readonly what: string; readonly reportedBy: readonly JudgedId[] };

function faultOf(past: Past): Fault | undefined {
  const text = offerHeader(past);
  if (!text.ok)
    return { what: text.verdict.reason, reportedBy: ['unpaid.402.header-present', 'payment.malformed'] };
  if (!decodeBase64(text.value).ok)
    return { what: `no base64 in answer ${past.number}`, reportedBy: ['unpaid.402.header-base64'] };
  const offered = requirementsOf(past);
  return offered.ok ? undefined : { what: offered.verdict.reason, reportedBy: ['unpaid.402.header-object'] };
}
