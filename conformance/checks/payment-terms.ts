import { headerNames, ranges } from '@paid-inference/contract/constants';
import type { SettlementType } from '@paid-inference/contract/types';
import { check, type JudgedId, observation } from '../engine/check.ts';
import type { Context } from '../engine/context.ts';
import { andThen, type Found, found, given } from '../engine/found.ts';
import { broken, holds, seen } from '../engine/verdict.ts';
import type { Terms } from '../payment/terms.ts';
import { chatBody, invalidRequest, validRequest } from './bodies.ts';
import { describe, hasStatus, isRefused, passing } from './judgements.ts';
import { type Paid, type PayOptions, paidChat, pay, served, withPayment } from './paid-source.ts';

/** What a payment must be (contract 2.9, 4.3): each refusal beside the same payment, made right, that was served. */
export const paymentTermsChecks = [
  ...(['private', 'individual', 'batch'] as const satisfies readonly SettlementType[]).map((type) =>
    check(
      `settlement-type.${type}.served`,
      `A paid request with ${headerNames.settlementType}: ${type} is answered 200`,
      (context) => given(paidWithType(context, type), ({ answered }) => hasStatus(answered, 200)),
    ),
  ),
  refused('payment.other-recipient.refused', 'A payment to another than `payTo` is refused', 'to-self'),
  refused('payment.over-maximum.refused', 'A payment of more than the maximum is refused', 'one-over'),
  refused('payment.not-yet-valid.refused', 'A payment that is not valid yet is refused', 'not-yet-valid'),
  refused('payment.expired.refused', 'A payment that has expired is refused', 'expired'),
  check('body.invalid.paid', 'A paid request with an invalid body is answered 400', (context) => {
    const spoiled = {
      ...chatBody(context.model),
      temperature: ranges.ChatCompletionRequest.temperature.maximum + 0.1,
    };
    return given(besideGood(context, { instead: invalidRequest('chat', spoiled) }), ({ answered }) => {
      if (answered.outcome.status === 400) return holds();
      return passing(answered) ?? broken('status 400 for an invalid body', describe(answered));
    });
  }),
  observation('payment.nonce-reuse', 'What a payment brings that was used already', (context) =>
    given(served(paidChat(context)), async ({ payment }) => {
      const same = validRequest('chat', chatBody(context.model));
      const other = validRequest('chat', { ...chatBody(context.model), temperature: 0 });
      const [again, elsewhere] = [
        await context.send(withPayment(same, payment)),
        await context.send(withPayment(other, payment)),
      ];
      const words = (answered: typeof again) =>
        answered.ok ? describe(answered.value) : answered.verdict.reason;
      return seen(`for the same request: ${words(again)}; for another request: ${words(elsewhere)}`);
    }),
  ),
  observation('payment.below-maximum', 'What a payment of one unit less brings', (context) =>
    given(besideGood(context, { terms: 'one-under' }), ({ answered }) => seen(describe(answered))),
  ),
];

/** The one paid chat answer with this settlement type. */
export function paidWithType(context: Context, type: SettlementType): Promise<Found<Paid>> {
  return context.once(payWithType[type]);
}

const payWithType = {
  private: (context: Context) =>
    besideGood(context, { headers: { [headerNames.settlementType]: 'private' } }),
  individual: (context: Context) =>
    besideGood(context, { headers: { [headerNames.settlementType]: 'individual' } }),
  batch: (context: Context) => besideGood(context, { headers: { [headerNames.settlementType]: 'batch' } }),
} as const satisfies Record<SettlementType, (context: Context) => Promise<Found<Paid>>>;

function refused(requirement: JudgedId, title: string, terms: Terms) {
  return check(requirement, title, (context) =>
    given(besideGood(context, { terms }), ({ answered }) => isRefused(answered)),
  );
}

/** A payment that differs in one thing from a good one that was served, so that a refusal has but one reason. */
function besideGood(context: Context, options: PayOptions): Promise<Found<Paid>> {
  return andThen(served(paidChat(context)), () =>
    andThen(pay(context, 'chat', chatBody(context.model), options), (paid) => found(paid)),
  );
}
