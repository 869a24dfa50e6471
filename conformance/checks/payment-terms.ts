import { headerNames, ranges } from '@paid-inference/contract/constants';
import type { SettlementType } from '@paid-inference/contract/types';
import { check, type JudgedId, observation } from '../engine/check.ts';
import type { Context } from '../engine/context.ts';
import { andThen, type Found, given } from '../engine/found.ts';
import { broken, holds, type Judgement, seen, unknown } from '../engine/verdict.ts';
import type { Terms } from '../payment/terms.ts';
import { bodyFor, chatBody, invalidRequest, type PaidEndpoint, validRequest } from './bodies.ts';
import { describe, hasStatus, isRefused, passing } from './judgements.ts';
import { highestAmountFor } from './looking-back.ts';
import {
  type Paid,
  type PayOptions,
  paidChat,
  paidCompletion,
  pay,
  served,
  withPayment,
} from './paid-source.ts';
import { demanding, offerIn } from './sources.ts';

const settlementTypes = ['private', 'individual', 'batch'] as const satisfies readonly SettlementType[];

/** Payments that break one rule of 2.9 each. */
const terms = [
  {
    requirement: 'payment.other-recipient.refused',
    words: 'A payment to another than `payTo`',
    terms: 'to-self',
  },
  {
    requirement: 'payment.over-maximum.refused',
    words: 'A payment of more than the maximum',
    terms: 'one-over',
  },
  {
    requirement: 'payment.not-yet-valid.refused',
    words: 'A payment that is not valid yet',
    terms: 'not-yet-valid',
  },
  { requirement: 'payment.expired.refused', words: 'A payment that has expired', terms: 'expired' },
] as const satisfies readonly { requirement: JudgedId; words: string; terms: Terms }[];

/** What a payment must be (contract 2.9, 4.3): each refusal beside the same payment, made right, that was served. */
export const paymentTermsChecks = [
  ...settlementTypes.flatMap((type) => [
    check(
      `settlement-type.${type}.served`,
      `A paid request with ${headerNames.settlementType}: ${type} is answered 200`,
      (context) => given(paidWithType(context, type), ({ answered }) => hasStatus(answered, 200)),
    ),
    check(
      'settlement-type.completions.served',
      `A paid text request with ${headerNames.settlementType}: ${type} is answered 200`,
      (context) =>
        given(besideGood(context, 'completions', withType(type)), ({ answered }) => hasStatus(answered, 200)),
    ),
  ]),
  ...terms.flatMap(({ requirement, words, ...options }) => [
    check(requirement, `${words} is refused`, (context) => judgeRefused(context, 'chat', options)),
    check('payment.completions.refused', `${words} is refused (completions)`, (context) =>
      judgeRefused(context, 'completions', options),
    ),
  ]),
  check('body.invalid.paid', 'A paid request with an invalid body is answered 400', (context) => {
    const spoiled = {
      ...chatBody(context.model),
      temperature: ranges.ChatCompletionRequest.temperature.maximum + 0.1,
    };
    return given(
      besideGood(context, 'chat', { instead: invalidRequest('chat', spoiled) }),
      ({ answered }) => {
        if (answered.outcome.status === 400) return holds();
        return passing(answered) ?? broken('status 400 for an invalid body', describe(answered));
      },
    );
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
    given(besideGood(context, 'chat', { terms: 'one-under' }), ({ answered }) => seen(describe(answered))),
  ),
];

/** Whoever takes its time may see a window begin: that it is served then says nothing. */
function judgeRefusal({ payment, answered }: Paid): Judgement {
  const verdict = isRefused(answered);
  const beginsAtMs = payment.authorization.validAfter * 1000;
  const hasBegunSince = answered.sentAtMs < beginsAtMs && beginsAtMs <= answered.endedAtMs;
  return verdict.kind === 'broken' && hasBegunSince
    ? unknown(`the payment had become valid when request ${answered.number} was answered`)
    : verdict;
}

/** The one paid chat answer with this settlement type. */
export function paidWithType(context: Context, type: SettlementType): Promise<Found<Paid>> {
  return context.once(payWithType[type]);
}

const payWithType = {
  private: (context: Context) => besideGood(context, 'chat', withType('private')),
  individual: (context: Context) => besideGood(context, 'chat', withType('individual')),
  batch: (context: Context) => besideGood(context, 'chat', withType('batch')),
} as const satisfies Record<SettlementType, (context: Context) => Promise<Found<Paid>>>;

function withType(type: SettlementType): PayOptions {
  return { headers: { [headerNames.settlementType]: type } };
}

function judgeRefused(
  context: Context,
  endpoint: PaidEndpoint,
  options: { terms: Terms },
): Promise<Judgement> {
  return given(besideGood(context, endpoint, options), (paid) =>
    options.terms === 'one-over' && paid.answered.outcome.status === 200
      ? judgeOverpaid(context, endpoint, paid)
      : judgeRefusal(paid),
  );
}

/**
 * More than any offer asked for was taken. Where prices rise it may have been no more than the price when it came, which
 * the next offer tells (D-121).
 */
function judgeOverpaid(
  context: Context,
  endpoint: PaidEndpoint,
  { payment, answered }: Paid,
): Promise<Judgement> {
  const asked = context.send(validRequest(endpoint, bodyFor(endpoint, context.model)));
  return given(andThen(andThen(asked, demanding), offerIn), () => {
    const paidUnits = BigInt(payment.authorization.value);
    const askedUnits = highestAmountFor(context, answered);
    return askedUnits < paidUnits
      ? isRefused(answered)
      : unknown(`the price rises: ${paidUnits} was paid, and ${askedUnits} is asked for by now`);
  });
}

/** A payment that differs in one thing from a good one that was served, so that a refusal has but one reason. */
function besideGood(context: Context, endpoint: PaidEndpoint, options: PayOptions): Promise<Found<Paid>> {
  return andThen(served(endpoint === 'chat' ? paidChat(context) : paidCompletion(context)), () =>
    pay(context, endpoint, bodyFor(endpoint, context.model), options),
  );
}
