import { randomUUID } from 'node:crypto';
import { headerNames } from '@paid-inference/contract/constants';
import type { SettlementType } from '@paid-inference/contract/types';
import { check, type JudgedId, observation } from '../../context/check.ts';
import type { Context } from '../../context/context.ts';
import type { Terms } from '../../payment/terms.ts';
import { bodyFor, chatBody, type PaidEndpoint, paidEndpoints, validRequest } from '../../sources/bodies.ts';
import { describe, hasStatus, isRefused, judgeTransient } from '../../sources/judgements.ts';
import {
  type Paid,
  type PaymentAsk,
  type PayOptions,
  paidChat,
  pay,
  served,
  servedAt,
  withPayment,
} from '../../sources/paid-source.ts';
import { demanding, offerIn } from '../../sources/sources.ts';
import { highestAmountFor, listResponses, readPaymentHeader } from '../../sources/transcript-queries.ts';
import { type Found, given } from '../../types/found.ts';
import { type Judgement, seen, unknown } from '../../types/verdict.ts';
import { paidBodyChecks, type Typed, unusualBodies } from '../bodies/valid-bodies.ts';
import {
  isBesideOthers,
  lengthened,
  paidConditionChecks,
  paidConditions,
  payBoth,
} from './conditions-paid.ts';
import { idempotencyKey } from './served-again.ts';

const settlementTypes = ['private', 'individual', 'batch'] as const satisfies readonly SettlementType[];

/** Payments that each break one rule of §2.9. */
const terms = [
  {
    requirement: 'payment.other-recipient.refused',
    words: 'A payment to another recipient than `payTo`',
    terms: 'to-self',
  },
  {
    requirement: 'payment.over-maximum.refused',
    words: 'A payment of more than the maximum',
    terms: 'one-over',
  },
  {
    requirement: 'payment.not-yet-valid.refused',
    words: 'A payment that is not yet valid',
    terms: 'not-yet-valid',
  },
  { requirement: 'payment.expired.refused', words: 'An expired payment', terms: 'expired' },
] as const satisfies readonly { requirement: JudgedId; words: string; terms: Terms }[];

const typed = {
  chat: {
    private: createTyped('chat', 'private'),
    individual: createTyped('chat', 'individual'),
    batch: createTyped('chat', 'batch'),
  },
  completions: {
    private: createTyped('completions', 'private'),
    individual: createTyped('completions', 'individual'),
    batch: createTyped('completions', 'batch'),
  },
} as const satisfies Record<PaidEndpoint, Record<SettlementType, Typed>>;

/**
 * Checks of payments (§2.9, §4.3). Each refused payment differs in one point from a payment that was served.
 */
export const paymentTermsChecks = [
  ...settlementTypes.flatMap((type) => [
    check(
      `settlement-type.${type}.served`,
      `A paid request with ${headerNames.settlementType}: ${type} gets 200`,
      (context) => given(paidWithType(context, type), ({ answered }) => hasStatus(answered, 200)),
    ),
    check(
      'settlement-type.completions.served',
      `A paid text request with ${headerNames.settlementType}: ${type} gets 200`,
      (context) =>
        given(paidWithType(context, type, 'completions'), ({ answered }) => hasStatus(answered, 200)),
    ),
  ]),
  check('chat.200.status', 'A second purchase of the same chat gets 200', judgeSecondPurchase),
  ...paidConditionChecks(typed),
  ...paidBodyChecks(typed),
  ...terms.flatMap(({ requirement, words, ...options }) => [
    check(requirement, `${words} is refused`, (context) => judgeRefused(context, 'chat', options)),
    check('payment.completions.refused', `${words} is refused (completions)`, (context) =>
      judgeRefused(context, 'completions', options),
    ),
  ]),
  observation('payment.nonce-reuse', 'Response to a used payment', async (context) => {
    const paid = await served(paidChat(context));
    if (!paid.ok) return paid.verdict;
    const { payment } = paid.value;
    const same = validRequest('chat', chatBody(context.model));
    const other = validRequest('chat', { ...chatBody(context.model), temperature: 0 });
    const again = await context.send(withPayment(same, payment));
    const elsewhere = await context.send(withPayment(other, payment));
    const words = (answered: typeof again) =>
      answered.ok ? describe(answered.value) : answered.verdict.reason;
    return seen(`for the same request: ${words(again)}; for another request: ${words(elsewhere)}`);
  }),
  observation('payment.below-maximum', 'Response to a payment of one unit less', (context) =>
    given(besideGood(context, 'chat', { terms: 'one-under' }), ({ answered }) => seen(describe(answered))),
  ),
];

/**
 * A cheaper request comes between the offer and the payment, so that its price must not replace the offered one
 * (§2.8, D-439). If prices change with every offer, the suite judges a purchase without that request.
 */
async function judgeSecondPurchase(context: Context): Promise<Judgement> {
  const text = cheapestBody(context);
  const messages = [{ role: 'user', content: 'Hi' }];
  const short = validRequest('chat', { model: context.model, messages, max_tokens: 1 });
  const between = text === undefined ? short : { path: paidEndpoints.chat.path, text };
  const paid = await besideGood(context, 'chat', { between });
  if (!paid.ok) return paid.verdict;
  const { payment, answered } = paid.value;
  const verdict = hasStatus(answered, 200);
  if (verdict.kind !== 'broken') return verdict;
  const next = await context.send(validRequest('chat', chatBody(context.model)));
  const offered = next.ok ? offerIn(next.value) : next;
  const isSame = offered.ok && offered.value.maxAmountRequired === BigInt(payment.authorization.value);
  if (isSame) return verdict;
  return given(besideGood(context, 'chat', {}), (again) => hasStatus(again.answered, 200));
}

/** The body of the cheapest unpaid chat so far; undefined if all have the same price. */
function cheapestBody(context: Context): string | undefined {
  const made = listResponses(context, 402).flatMap((past) => {
    const offered = offerIn(past);
    const { isProvenInvalid, isOnlyObserved } = past.request;
    const isUnpaid = past.endpoint === 'chat' && readPaymentHeader(past) === undefined;
    // The contract leaves open if a body of an observation is valid.
    if (!isUnpaid || isProvenInvalid || isOnlyObserved || !offered.ok) return [];
    return [{ text: past.request.body, units: offered.value.maxAmountRequired }];
  });
  const [first, ...others] = made.toSorted((one, other) => Number(one.units - other.units));
  return others.some(({ units }) => units !== first?.units) ? first?.text : undefined;
}

/** A slow target may answer after the window has begun, so that a served payment proves nothing. */
function judgeRefusal({ payment, answered }: Paid): Judgement {
  const verdict = isRefused(answered);
  const beginsAtMs = payment.authorization.validAfter * 1000;
  const hasBegunSince = answered.sentAtMs < beginsAtMs && beginsAtMs <= answered.endedAtMs;
  if (verdict.kind !== 'broken' || !hasBegunSince) return verdict;
  return unknown(`the payment became valid before the response to request ${answered.number}`);
}

/**
 * A paid response with this settlement type. If the unusual body was not served, the suite pays for the usual
 * one, to find out whether the type or the body was refused.
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

/** Whether a payment was served or got a transient status. */
function isShown({ answered }: Paid): boolean {
  return answered.outcome.status === 200 || judgeTransient(answered) !== undefined;
}

function createTyped(endpoint: PaidEndpoint, type: SettlementType): Typed {
  const headers = { [headerNames.settlementType]: type };
  const createBody = unusualBodies[endpoint][type].of;
  const conditional = async (context: Context) => {
    if (isBesideOthers(endpoint, type)) return (await context.once(payTypedTogether))[endpoint];
    const good = await servedAt(context, endpoint);
    if (!good.ok) return good;
    const ask = await createTypedAsk(context, endpoint, type);
    const named = isNamed(endpoint, type) ? await payNamed(context, ask) : undefined;
    const paid = named ?? (await pay(context, endpoint, ask.body, ask));
    return ask.shorter && isRejected(paid) ? pay(context, endpoint, ask.shorter, ask) : paid;
  };
  return {
    conditional,
    // One payment shows both, unless it was not served because of its conditions.
    unusual: async (context) => {
      const first = await context.once(conditional);
      if (first.ok && first.value.answered.outcome.status === 200) return first;
      if (first.ok && isShown(first.value) && !isBesideOthers(endpoint, type)) return first;
      return besideGood(context, endpoint, { headers, body: createBody(context.model) });
    },
    usual: (context) => besideGood(context, endpoint, { headers }),
  };
}

/** A gateway that checks the payment before the body may bound a body that it made an offer for (§8, D-460). */
function isRejected(paid: Found<Paid>): boolean {
  return paid.ok && [400, 413, 422].includes(paid.value.answered.outcome.status);
}

async function createTypedAsk(
  context: Context,
  endpoint: PaidEndpoint,
  type: SettlementType,
): Promise<PaymentAsk & { readonly shorter?: object }> {
  const { model, extra, before, headers, ...under } = await paidConditions(context, endpoint, type);
  const usual = unusualBodies[endpoint][type].of(model);
  const messages = 'messages' in usual ? { messages: [...before, ...usual.messages] } : {};
  const allHeaders = { [headerNames.settlementType]: type, ...headers };
  const body = { ...usual, ...messages, ...extra };
  const long = await lengthened(context, type, body, allHeaders);
  return { ...under, endpoint, body: long ?? body, headers: allHeaders, ...(long && { shorter: body }) };
}

function payTypedTogether(context: Context) {
  return payBoth(context, createTypedAsk);
}

/** The payment with an idempotency key, so that its request can be sent again with the key (D-213). */
function isNamed(endpoint: PaidEndpoint, type: SettlementType): boolean {
  return endpoint === 'chat' && type === 'individual';
}

/**
 * Pays for a request with an idempotency key. Undefined if the target refuses the key before or after the
 * payment: the contract does not define this header.
 */
async function payNamed(
  context: Context,
  { endpoint, body, ...options }: PaymentAsk,
): Promise<Found<Paid> | undefined> {
  const countSigned = () => context.budget?.spent().payments;
  const before = countSigned();
  const headers = { ...options.headers, [idempotencyKey]: randomUUID() };
  const paid = await pay(context, endpoint, body, { ...options, headers });
  const isUsed = paid.ok ? isShown(paid.value) : countSigned() !== before;
  return isUsed ? paid : undefined;
}

async function judgeRefused(
  context: Context,
  endpoint: PaidEndpoint,
  options: { terms: Terms },
): Promise<Judgement> {
  const paid = await besideGood(context, endpoint, options);
  if (!paid.ok) return paid.verdict;
  const isOverpaid = options.terms === 'one-over' && paid.value.answered.outcome.status === 200;
  return isOverpaid ? judgeOverpaid(context, endpoint, paid.value) : judgeRefusal(paid.value);
}

/**
 * Judges a served payment of more than the maximum. If prices rise, the payment may have matched the current
 * price, which the next offer shows (D-121).
 */
async function judgeOverpaid(
  context: Context,
  endpoint: PaidEndpoint,
  { payment, answered }: Paid,
): Promise<Judgement> {
  const asked = await context.send(validRequest(endpoint, bodyFor(endpoint, context.model)));
  if (!asked.ok) return asked.verdict;
  const demanded = demanding(asked.value);
  if (!demanded.ok) return demanded.verdict;
  const offered = offerIn(demanded.value);
  if (!offered.ok) return offered.verdict;
  const paidUnits = BigInt(payment.authorization.value);
  const askedUnits = highestAmountFor(context, answered);
  if (askedUnits < paidUnits) return isRefused(answered);
  return unknown(`the price rises: the suite paid ${paidUnits}, and the next offer asks for ${askedUnits}`);
}

/**
 * A payment that differs in one point from a valid one that was served, so that a refusal has only one possible
 * reason.
 */
export async function besideGood(
  context: Context,
  endpoint: PaidEndpoint,
  { body, ...options }: PayOptions & { readonly body?: unknown },
): Promise<Found<Paid>> {
  const good = await servedAt(context, endpoint);
  if (!good.ok) return good;
  return pay(context, endpoint, body ?? bodyFor(endpoint, context.model), options);
}
