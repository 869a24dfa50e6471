import { isSpent } from '../../chain/settlement.ts';
import { check } from '../../context/check.ts';
import type { Context } from '../../context/context.ts';
import type { Payment } from '../../payment/sign.ts';
import { chatBody, question, validRequest } from '../../sources/bodies.ts';
import { describe, jsonBody, judgeTransient } from '../../sources/judgements.ts';
import { sendAgainTogether } from '../../sources/paid-source.ts';
import { offer } from '../../sources/sources.ts';
import { listResponses, readPaymentHeader } from '../../sources/transcript-queries.ts';
import { given } from '../../types/found.ts';
import { broken, holds, type Judgement, notApplicable } from '../../types/verdict.ts';
import { member } from '../../wire/base64-json.ts';
import type { Answered } from '../../wire/exchange.ts';
import { readTexts } from '../responses/response-rules.ts';
import { firstInvalid } from './invalid-paid.ts';

/**
 * Checks that one payment does not buy two completions at the same time (§1). The payment was refused with
 * invalid bodies before, so the run signs no more. Both endpoints should read payments alike, so only chat is
 * tested (D-245).
 */
export const onePaymentChecks = [
  check(
    'sequence.paid-then-unpaid',
    'One payment sent three times at the same time gives one completion at most (chat)',
    (context) => given(context.once(firstInvalid.chat), ({ paid }) => judgePayment(context, paid.payment)),
  ),
];

async function judgePayment(context: Context, payment: Payment): Promise<Judgement> {
  if (payment.authorization.value === '0') return notApplicable('the price is zero');
  const isUsed = listResponses(context, 200).some((past) => readPaymentHeader(past) === payment.header);
  if (isUsed) return notApplicable('the deployment served this payment with an invalid body');
  if (await isSettled(context, payment)) {
    return notApplicable('the chain reports this refused payment as used, or does not report it');
  }
  const usual = chatBody(context.model);
  const other = { ...usual, messages: [{ ...question, content: 'Say ping.' }] };
  const requests = [usual, usual, other].map((body) => validRequest('chat', body));
  const responses = await sendAgainTogether(context, payment, requests);
  const answered = responses.flatMap((each) => (each.ok ? [each.value] : []));
  const served = answered.filter(({ outcome }) => outcome.status === 200);
  // A deployment may send one completion several times, because the contract has no rule on repeated payments (§5).
  const count = Math.max(
    countUnlike(served, readId),
    countUnlike(served, (each) => readTexts(each).join('\n')),
  );
  if (count > 1) return broken('one completion', `${count} completions for one payment`);
  if (served.length > 0) return holds(`${served.length} of ${requests.length} served`);
  const missing = responses.flatMap((each) => (each.ok ? (judgeTransient(each.value) ?? []) : each.verdict));
  return missing[0] ?? notApplicable(describeRefusals(answered));
}

/** How many unlike values responses have. A model may write one text for two completions, so the `id` counts too. */
function countUnlike(served: readonly Answered[], read: (one: Answered) => string): number {
  return new Set(served.map(read).filter((value) => value !== '')).size;
}

function readId(one: Answered): string {
  const body = jsonBody(one);
  const id = body.ok ? member(body.value, 'id') : undefined;
  return typeof id === 'string' ? id : '';
}

/** Whether a refused payment may have settled, which another check reports (D-129). */
async function isSettled(context: Context, { authorization }: Payment): Promise<boolean> {
  const { chain } = context.nodes;
  const made = await offer(context, 'chat');
  if (!chain || !made.ok) return false;
  const isUsed = await isSpent(chain, made.value.asset, authorization);
  return !isUsed.ok || isUsed.value;
}

function describeRefusals(answered: readonly Answered[]): string {
  return `the deployment refuses a payment that it refused before: ${answered.map(describe).join(', ')}`;
}
