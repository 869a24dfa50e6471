import { headerNames } from '@paid-inference/contract/constants';
import { type Check, check, type JudgedId } from '../../context/check.ts';
import type { Context } from '../../context/context.ts';
import { bodyFor, type PaidEndpoint, validRequest } from '../../sources/bodies.ts';
import { describe, hasStatus, readError } from '../../sources/judgements.ts';
import { servedAt } from '../../sources/paid-source.ts';
import { offer, offerHeader } from '../../sources/sources.ts';
import { paidByThrowaway, tamper } from '../../sources/throwaway-source.ts';
import { type Found, found } from '../../types/found.ts';
import { broken, type Judgement, notApplicable, unknown } from '../../types/verdict.ts';
import type { Answered } from '../../wire/exchange.ts';
import { aboutSignature } from '../signatures/order-of-signature.ts';

/** A request of a sequence, and the response that the next step depends on. */
type Step = {
  readonly send: (context: Context, endpoint: PaidEndpoint) => Promise<Found<Answered>>;
  readonly status: number;
  readonly code?: string;
};

/** Each step sends the same body (§4.4, steps 1 and 5). */
const steps = {
  unpaid: {
    send: (context, endpoint) => context.send(validRequest(endpoint, bodyFor(endpoint, context.model))),
    status: 402,
  },
  unfunded: {
    send: (context, endpoint) => paidByThrowaway(context, endpoint),
    status: 402,
    code: 'insufficient_funds',
  },
  tampered: {
    send: async (context, endpoint) => {
      const answered = await paidByThrowaway(context, endpoint, tamper);
      return answered.ok ? aboutSignature(context, endpoint, tamper, answered.value) : answered;
    },
    status: 401,
    code: 'invalid_signature',
  },
  // The one payment that all checks of paid responses share, so that a sequence costs nothing more.
  paid: {
    send: async (context, endpoint) => {
      const paid = await servedAt(context, endpoint);
      return paid.ok ? found(paid.value.answered) : paid;
    },
    status: 200,
  },
} as const satisfies Record<string, Step>;
type StepName = keyof typeof steps;

type Sequence = readonly [JudgedId, PaidEndpoint, readonly StepName[]];

/** Sequences whose last request has no payment and must get 402 (§1, §3). */
const refused: readonly Sequence[] = [
  ['sequence.refused-then-unpaid', 'chat', ['unpaid', 'tampered', 'unpaid']],
  ['sequence.refused-then-unpaid', 'chat', ['unpaid', 'unfunded', 'unpaid']],
  ['sequence.refused-then-unpaid', 'completions', ['unpaid', 'unfunded', 'unpaid']],
];
const paid: readonly Sequence[] = [
  ['sequence.paid-then-unpaid', 'chat', ['paid', 'unpaid']],
  ['sequence.paid-then-unpaid', 'completions', ['paid', 'unpaid']],
];

/** Checks of sequences without payments that settle (§3). Earlier requests must not make a later one free. */
export const refusedSequenceChecks = refused.map(createCheck);
/** The same after a served payment. */
export const paidSequenceChecks = paid.map(createCheck);

function createCheck([requirement, endpoint, names]: Sequence): Check {
  const title = `${names.join(' → ')}: the last request gets 402 with an offer (${endpoint})`;
  return check(requirement, title, async (context) => {
    const offered = await offer(context, endpoint);
    if (!offered.ok) return offered.verdict;
    if (names.includes('unfunded') && offered.value.maxAmountRequired === 0n) {
      return notApplicable('the price is zero, so no balance is too low');
    }
    return runSequence(context, endpoint, names);
  });
}

async function runSequence(
  context: Context,
  endpoint: PaidEndpoint,
  names: readonly StepName[],
): Promise<Judgement> {
  for (const [index, name] of names.entries()) {
    const step: Step = steps[name];
    const answered = await step.send(context, endpoint);
    if (!answered.ok) return answered.verdict;
    if (index === names.length - 1) return judgePaymentRequired(answered.value);
    const { status, body } = answered.value.outcome;
    const isExpected =
      status === step.status && (step.code === undefined || readError(body)?.['code'] === step.code);
    if (!isExpected) return unknown(`step ${index + 1} (${name}) got ${describe(answered.value)}`);
  }
  throw new Error('a sequence has no steps');
}

function judgePaymentRequired(answered: Answered): Judgement {
  const verdict = hasStatus(answered, 402);
  if (verdict.kind !== 'holds' || offerHeader(answered).ok) return verdict;
  return broken(`the header ${headerNames.paymentRequired} on the 402`, 'no such header');
}
