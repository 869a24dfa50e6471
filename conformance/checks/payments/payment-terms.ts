import { headerNames } from '@paid-inference/contract/constants';
import type { SettlementType } from '@paid-inference/contract/types';
import { check, type JudgedId, observation } from '../../context/check.ts';
import type { Context } from '../../context/context.ts';
import type { Terms } from '../../payment/terms.ts';
import { bodyFor, chatBody, type PaidEndpoint, validRequest } from '../../sources/bodies.ts';
import { describe, hasStatus, isRefused, passing } from '../../sources/judgements.ts';
import {
  type Paid,
  type PayOptions,
  paidChat,
  paidCompletion,
  pay,
  served,
  withPayment,
} from '../../sources/paid-source.ts';
import { demanding, offerIn } from '../../sources/sources.ts';
import { highestAmountFor } from '../../sources/transcript-queries.ts';
import { andThen, type Found, given } from '../../types/found.ts';
import { type Judgement, seen, unknown } from '../../types/verdict.ts';
import { paidBodyChecks, type Typed, unusualBodies } from '../bodies/valid-bodies.ts';
import { isBesideOthers, paidConditionChecks, paidConditions } from './conditions-paid.ts';

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

const typed = {
  chat: {
    private: typedOf('chat', 'private'),
    individual: typedOf('chat', 'individual'),
    batch: typedOf('chat', 'batch'),
  },
  completions: {
    private: typedOf('completions', 'private'),
    individual: typedOf('completions', 'individual'),
    batch: typedOf('completions', 'batch'),
  },
} as const satisfies Record<PaidEndpoint, Record<SettlementType, Typed>>;

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
        given(paidWithType(context, type, 'completions'), ({ answered }) => hasStatus(answered, 200)),
    ),
  ]),
  ...paidConditionChecks(typed),
  ...paidBodyChecks(typed),
  ...terms.flatMap(({ requirement, words, ...options }) => [
    check(requirement, `${words} is refused`, (context) => judgeRefused(context, 'chat', options)),
    check('payment.completions.refused', `${words} is refused (completions)`, (context) =>
      judgeRefused(context, 'completions', options),
    ),
  ]),
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

/**
 * A paid answer with this settlement type. Where an unusual body was not served, a usual one is paid for: else nobody knows
 * whether the type is refused or the body.
 */
export async function paidWithType(
  context: Context,
  type: SettlementType,
  endpoint: PaidEndpoint = 'chat',
): Promise<Found<Paid>> {
  const { unusual, usual } = typed[endpoint][type];
  const first = await context.once(unusual);
  return first.ok && isShown(first.value) ? first : context.once(usual);
}

/** Served, or answered in a way that passes by itself. */
function isShown({ answered }: Paid): boolean {
  return answered.outcome.status === 200 || passing(answered) !== undefined;
}

function typedOf(endpoint: PaidEndpoint, type: SettlementType): Typed {
  const headers = { [headerNames.settlementType]: type };
  const bodyOf = unusualBodies[endpoint][type].of;
  const conditional = async (context: Context) => {
    const under = await paidConditions(context, endpoint, type);
    return besideGood(context, endpoint, {
      ...under,
      headers: { ...headers, ...under.headers },
      body: { ...bodyOf(under.model), ...under.extra },
    });
  };
  return {
    conditional,
    // The same payment shows both, unless the conditions alone may be why it was not served.
    unusual: async (context) => {
      const first = await context.once(conditional);
      const isServed = first.ok && first.value.answered.outcome.status === 200;
      return isServed || (first.ok && isShown(first.value) && !isBesideOthers(endpoint, type))
        ? first
        : besideGood(context, endpoint, { headers, body: bodyOf(context.model) });
    },
    usual: (context) => besideGood(context, endpoint, { headers }),
  };
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
export function besideGood(
  context: Context,
  endpoint: PaidEndpoint,
  { body, ...options }: PayOptions & { readonly body?: unknown },
): Promise<Found<Paid>> {
  return andThen(served(endpoint === 'chat' ? paidChat(context) : paidCompletion(context)), () =>
    pay(context, endpoint, body ?? bodyFor(endpoint, context.model), options),
  );
}
