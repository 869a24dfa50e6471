import { check } from '../../context/check.ts';
import type { Context } from '../../context/context.ts';
import { bodyFor, type PaidEndpoint, paidEndpointNames } from '../../sources/bodies.ts';
import { describe, hasStatus } from '../../sources/judgements.ts';
import {
  freshOffer,
  isAboutFunds,
  sendPayment,
  takesSignatures,
  tamper,
  throwawayPayment,
} from '../../sources/throwaway-source.ts';
import { isReported } from '../../sources/transcript-queries.ts';
import { broken, type Judgement, notApplicable } from '../../types/verdict.ts';
import { orderOfSignature } from './order-of-signature.ts';

/**
 * Checks that a request for one token needs a valid signature too (§3). Each payment has its own offer, because
 * the price may depend on the number of tokens (D-247).
 */
export const shortCompletionChecks = paidEndpointNames.map((endpoint) =>
  check(
    'conditions.signature',
    `A signature with one changed byte gets 401 for a request of one token (${endpoint})`,
    (context) => judgeShort(context, endpoint),
  ),
);

async function judgeShort(context: Context, endpoint: PaidEndpoint): Promise<Judgement> {
  if (isReported(context, 'signature.tampered', 'signature.tampered.completions')) {
    return notApplicable('a usual request with such a signature does not get 401 either');
  }
  const body = { ...bodyFor(endpoint, context.model), max_tokens: 1 };
  const payment = await throwawayPayment(context, endpoint, tamper, () =>
    freshOffer(context, endpoint, body),
  );
  if (!payment.ok) return payment.verdict;
  const answered = await sendPayment(context, endpoint, payment.value, body);
  if (!answered.ok) return answered.verdict;
  const takes = await takesSignatures(context, endpoint);
  if (!takes.ok) return takes.verdict;
  if (!isAboutFunds(answered.value)) return hasStatus(answered.value, 401);
  const order = await orderOfSignature(context, endpoint);
  if (!order.ok) return order.verdict;
  return order.value === 'own'
    ? broken('status 401', `${describe(answered.value)}, so the deployment took the signature for valid`)
    : notApplicable('the deployment checks the balance first, or changes the order of its checks');
}
