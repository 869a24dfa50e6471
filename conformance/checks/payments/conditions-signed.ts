import { headerNames } from '@paid-inference/contract/constants';
import {
  acceptedLevels,
  type Finding,
  fewExtras,
  forOtherModels,
  type Levels,
  spread,
} from '../../conditions/levels.ts';
import { pairwise } from '../../conditions/pairwise.ts';
import {
  type Conditions,
  common,
  describeConditions,
  isPossible,
  plain,
  requestUnder,
  type Shape,
} from '../../conditions/requests.ts';
import { askOnAnyConnection, findingsMax, type Planned, sendPlan } from '../../conditions/send.ts';
import { check } from '../../context/check.ts';
import type { Ask, Context } from '../../context/context.ts';
import { whyUnsignable } from '../../payment/terms.ts';
import type { ZeroByte } from '../../payment/throwaway.ts';
import type { PaidEndpoint } from '../../sources/bodies.ts';
import { describe, judgeTransient } from '../../sources/judgements.ts';
import { aboutOwn, longer } from '../../sources/order-of-checks.ts';
import { demanding, offerIn } from '../../sources/sources.ts';
import { isAboutFunds, tamper } from '../../sources/throwaway-source.ts';
import {
  endOfOffer,
  highestAmountFor,
  identifyRequest,
  offersFor,
  readPayment,
} from '../../sources/transcript-queries.ts';
import { type Found, found, inapplicable, missing } from '../../types/found.ts';
import { broken, holds, type Judgement, type Unknown, unknown } from '../../types/verdict.ts';
import type { Answered } from '../../wire/exchange.ts';
import { orderOfSignature } from '../signatures/order-of-signature.ts';
import { aboutTerms } from './conditions-terms.ts';
import { funds, signature, type Wrong, wrongs } from './wrong-payments.ts';

/** How many models are combined with every other condition. Each payment also needs an offer. */
const modelsMax = 3;

/** Checks of payments that must be refused, under conditions that must not matter (§3, §7). */
export const signedConditionChecks = wrongs.map((wrong) =>
  check(wrong.requirement, wrong.words, async (context) => {
    const isPlain = await isRightPlainly(context, wrong);
    if (!isPlain.ok) return isPlain.verdict;
    const outcomes = await context.once(sentUnderConditions);
    return outcomes.ok ? judgeOutcomes(outcomes.value, wrong) : outcomes.verdict;
  }),
);

async function isRightPlainly(context: Context, wrong: Wrong): Promise<Found<true>> {
  const isRight = await wrong.isRightPlainly(context);
  if (!isRight.ok) return isRight;
  return isRight.value
    ? found(true)
    : inapplicable('a usual request with this fault gets another response too');
}

type Outcomes = {
  readonly findings: readonly (Finding & { readonly wrong: Wrong })[];
  readonly right: number;
  readonly open: ReadonlyMap<Wrong, Unknown>;
  readonly issue: Unknown | undefined;
};

async function sentUnderConditions(context: Context): Promise<Found<Outcomes>> {
  const judged: Wrong[] = [];
  for (const wrong of wrongs) if ((await isRightPlainly(context, wrong)).ok) judged.push(wrong);
  const findings: (Finding & { wrong: Wrong })[] = [];
  const open = new Map<Wrong, Unknown>();
  let right = 0;
  const plan = createPlan(context, await context.once(acceptedLevels), judged);
  const issue = await sendPlan(context, plan, async ({ conditions, of: wrong }, first) => {
    const answered = await judgeable(context, conditions, wrong, first);
    const shown = answered.ok ? judgeTransient(answered.value) : answered.verdict;
    // Other checks report missing offers.
    if (shown?.kind === 'unknown' && !open.has(wrong)) open.set(wrong, shown);
    if (shown || !answered.ok) return 'go on';
    if (wrong.isRight(answered.value)) right += 1;
    else findings.push({ conditions, answered: answered.value, wrong });
    return findings.length >= findingsMax ? 'enough' : 'go on';
  });
  return found({ findings, right, open, issue: issue === undefined ? undefined : unknown(issue) });
}

/**
 * The response to an invalid signature of a payer without funds, if it does not name the balance. Such a
 * signature got 401 before, so a gateway that now checks the balance first has changed the order of its checks.
 */
async function judgeable(
  context: Context,
  conditions: Conditions,
  wrong: Wrong,
  first: Found<Answered>,
): Promise<Found<Answered>> {
  if (!first.ok) return first;
  if (wrong.isRight(first.value)) return first;
  if (wrong.terms === undefined && hasExpired(context, first.value))
    return inapplicable('the offer or the payment expired before the response');
  // A gateway that checks the payment before the body makes an offer for fields that it rejects (D-203, D-420).
  const { extra } = conditions;
  if (extra !== plain.extra && first.value.outcome.status === 400)
    return (extra === 'common-members' ? inapplicable : missing)('the deployment rejects the members');
  const payAgain = async (attempt: number) => {
    const request = await payment(context, conditions, wrong, attempt);
    return request.ok ? context.send(request.value) : request;
  };
  if (wrong.terms) {
    const ask = () => context.send(requestUnder(conditions));
    return aboutTerms(context, conditions, wrong.terms, first.value, { ask, payAgain });
  }
  if (!wrong.isSpoiled || !isAboutFunds(first.value)) return first;
  const order = await orderOfSignature(context, conditions.endpoint);
  if (!order.ok) return order;
  if (order.value === 'own') return first;
  if (order.value === 'other') {
    return missing('the deployment has changed the order of its checks and now checks the balance first');
  }
  const rule = { kind: 'signature', order: order.value, isOther: isAboutFunds } as const;
  return aboutOwn(context, rule, first.value, payAgain);
}

/** Payments that are sent together wait for the offers of each other, so short offers may end before (D-456). */
function hasExpired(context: Context, answered: Answered): boolean {
  const { endedAtMs, number } = answered;
  const validBefore = readPayment(answered)?.authorization.validBefore ?? Infinity;
  const made = offersFor(context, identifyRequest(answered)).findLast((each) => each.number < number);
  const offerEndsAtMs = made ? endOfOffer(made.offer, made.sentAtMs) : Infinity;
  return Math.min(validBefore * 1000, offerEndsAtMs) <= endedAtMs;
}

function judgeOutcomes({ findings, right, open, issue }: Outcomes, wrong: Wrong): Judgement {
  const first = findings.find((finding) => finding.wrong === wrong);
  if (!first) return open.get(wrong) ?? issue ?? holds(`${right} payments`);
  const { conditions, answered } = first;
  const words = `${describe(answered)} for request ${answered.number} (${describeConditions(conditions)})`;
  return broken(wrong.expected, words);
}

/**
 * Every fault on each endpoint with each settlement type, every pair of the other conditions (D-150), and every fault in
 * each usual chat.
 */
function createPlan(context: Context, levels: Levels, judged: readonly Wrong[]): readonly Planned<Wrong>[] {
  const { models, types, bytes, turns } = levels;
  const { endpoint: endpoints, ...usual } = common;
  const named = types.filter((type) => type !== plain.type);
  const rows = pairwise(
    {
      wrong: judged,
      // Usual bodies several times, so that most payments of each fault on each endpoint have one.
      bytes: [plain.bytes, plain.bytes, ...bytes],
      at: endpoints.flatMap((endpoint) =>
        (named.length < shapes.length ? types : named).map((type) => ({ endpoint, type })),
      ),
      model: spread(models, modelsMax),
      ...usual,
      turn: turns.filter((turn) => turn !== 'answered'),
      extra: fewExtras(levels),
      credential: [plain.credential],
    },
    ({ at, ...row }) =>
      isPossible({ ...row, ...at }) && (!row.bytes || row.model === undefined || row.model === models[0]),
  ).map(({ at, ...row }) => ({ ...row, ...at }));
  // Wrong terms are sent only for the models of the rows, which saves requests.
  const others = judged
    .filter(({ terms }) => terms === undefined)
    .flatMap((wrong) =>
      forOtherModels(
        rows.filter((row) => row.wrong === wrong),
        models,
      ),
    )
    .map((row) => ({ ...row, type: plain.type }));
  const chats = judged.flatMap((wrong) =>
    usualChats(levels).map(
      (chat): Row => ({ ...plain, ...chat, endpoint: 'chat', model: context.model, wrong }),
    ),
  );
  return [...withDetails(rows), ...chats, ...others].map(({ wrong, ...conditions }) => ({
    conditions,
    request: () => payment(context, conditions, wrong),
    of: wrong,
  }));
}

type Row = Conditions & { readonly wrong: Wrong };

/**
 * Chats that clients often send: without a system message (D-449), with tools before and after a call, and a large one
 * (D-459).
 */
function usualChats({ bytes, turns, types }: Levels): readonly Partial<Conditions>[] {
  const type = types.includes('private') ? 'private' : plain.type;
  return [
    { shape: 'one-message' },
    { shape: 'two-tools' },
    ...(turns.includes('result') ? [{ turn: 'result', shape: 'two-tools', type } as const] : []),
    ...bytes.filter((size) => size > 0).map((size) => ({ bytes: size })),
  ];
}

/** The first ones are for small bodies. */
const shapes = ['defaults', 'one-token', 'long'] as const satisfies readonly Shape[];
const zeroBytes: Readonly<Record<PaidEndpoint, readonly ZeroByte[]>> = {
  chat: ['nonce', 'r', 's'],
  completions: ['from'],
};

/**
 * The rows of each fault on each endpoint, with the shapes of a body in turn: there are as many rows as settlement
 * types, or more. Three chats and a text without funds have a zero byte in their payment. One bad signature on each endpoint
 * is in a request that names the charset of its JSON.
 */
function withDetails(rows: readonly Row[]): readonly Row[] {
  return rows.map((row) => {
    const { wrong, endpoint } = row;
    const at = rows
      .filter((each) => each.wrong === wrong && each.endpoint === endpoint)
      .toSorted((one, other) => one.bytes - other.bytes)
      .indexOf(row);
    const shape = shapes[at % shapes.length];
    const zeroByte = wrong === funds ? zeroBytes[endpoint][at] : undefined;
    const details = { ...(shape && { shape }), ...(zeroByte && { zeroByte }) };
    return { ...row, ...details, ...(wrong === signature && at === 0 && { hasCharset: true }) };
  });
}

/** The request with a payment for its offer. */
async function payment(
  context: Context,
  conditions: Conditions,
  { isSpoiled, terms }: Wrong,
  spaces = 0,
): Promise<Found<Ask>> {
  const request = spaces > 0 ? longer(requestUnder(conditions), spaces) : requestUnder(conditions);
  const sent = await askOnAnyConnection(context, request);
  if (!sent.ok) return sent;
  const asked = sent.value;
  // Other checks judge a response without an offer.
  if (!demanding(asked).ok) return inapplicable('the target made no offer');
  const offer = offerIn(asked);
  if (!offer.ok) return offer;
  if (offer.value.maxAmountRequired === 0n) return inapplicable('the price is zero');
  const zeroed = conditions.zeroByte && { zeroByte: conditions.zeroByte };
  const spoiling = { ...(isSpoiled && tamper()), ...(terms && { terms }), ...zeroed };
  // More than the highest offer, because an earlier offer may still be valid.
  const maxAmountRequired = terms ? highestAmountFor(context, asked) : offer.value.maxAmountRequired;
  const highest = { ...offer.value, maxAmountRequired };
  const reason = whyUnsignable(terms, highest);
  if (reason !== undefined) return inapplicable(reason);
  const content = await context.throwaway.pay(highest, context.nowSeconds(), spoiling);
  const nowMs = Math.max(asked.endedAtMs, context.nowSeconds() * 1000);
  if (endOfOffer(offer.value, asked.sentAtMs) < nowMs) return inapplicable('the offer has expired');
  return found({
    ...request,
    headers: { ...request.headers, [headerNames.payment]: content },
    isRepeatable: true,
  });
}
