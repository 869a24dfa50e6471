import { headerNames } from '@paid-inference/contract/constants';
import { check, observation } from '../engine/check.ts';
import { given } from '../engine/found.ts';
import { broken, holds, type Judgement, seen } from '../engine/verdict.ts';
import { encodeBase64Json } from '../wire/base64-json.ts';
import type { Answered } from '../wire/session.ts';
import { chatBody, validRequest } from './bodies.ts';
import { describe, errorOf, isRefused } from './judgements.ts';
import { answersTo } from './rejects.ts';
import { paidByThrowaway } from './signature.ts';
import { offerHeader } from './sources.ts';

/** Contents of `X-PAYMENT` that are no payment object. */
const malformed = {
  'no base64': '%%%',
  'base64 of no JSON': Buffer.from('pay me').toString('base64'),
  'base64 of an empty object': encodeBase64Json({}),
} as const;

/** Headers that carry no payment, or half of one (contract 7). */
export const malformedChecks = [
  check('payment.malformed', 'A malformed payment is refused, never served', async (context) => {
    for (const content of Object.values(malformed)) {
      const answered = await context.ask(withPayment(context.model, content));
      if (!answered.ok) return answered.verdict;
      const verdict = judgeRefusal(answered.value);
      if (verdict.kind !== 'holds') return verdict;
    }
    return holds();
  }),
  observation('payment.malformed.status', 'How malformed payments are refused', async (context) => {
    const requests = Object.values(malformed).map((content) => withPayment(context.model, content));
    const answers = await answersTo(context, requests);
    return seen(
      Object.keys(malformed)
        .map((name, index) => `${name}: ${answers[index]}`)
        .join('; '),
    );
  }),
  observation('payment.short-nonce', 'What a nonce of 31 bytes brings', (context) =>
    given(
      paidByThrowaway(context, 'chat', () => ({
        edit: ({ authorization, signature }) => ({
          authorization: { ...authorization, nonce: authorization.nonce.slice(0, -2) },
          signature,
        }),
      })),
      (answered) => seen(describe(answered)),
    ),
  ),
];

function judgeRefusal(answered: Answered): Judgement {
  const isDemand = answered.outcome.status === 402 && errorOf(answered.outcome.body)?.['code'] === undefined;
  if (isDemand && !offerHeader(answered).ok) {
    return broken(`${headerNames.paymentRequired} on the 402`, 'none');
  }
  return isRefused(answered);
}

function withPayment(model: string, content: string) {
  return validRequest('chat', chatBody(model), { [headerNames.payment]: content });
}
