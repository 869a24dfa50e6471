import { headerNames } from '@paid-inference/contract/constants';
import { check, observation } from '../engine/check.ts';
import type { Context } from '../engine/context.ts';
import { andThen, given } from '../engine/found.ts';
import { broken, type Judgement, seen } from '../engine/verdict.ts';
import { encodeBase64Json } from '../wire/base64-json.ts';
import type { Answered } from '../wire/session.ts';
import { bodyFor, type PaidEndpoint, paidEndpointNames, validRequest } from './bodies.ts';
import { describe, errorOf, isRefused } from './judgements.ts';
import { answersTo } from './rejects.ts';
import { offerHeader } from './sources.ts';
import { looksAtPayments, paidByThrowaway, sendPayment, throwawayPayment } from './throwaway-source.ts';

/** Contents of `X-PAYMENT` that are no payment object. */
const malformed = {
  'no base64': '%%%',
  'base64 of no JSON': Buffer.from('pay me').toString('base64'),
  'base64 of an empty object': encodeBase64Json({}),
} as const;

/** Headers that carry no payment, or half of one (contract 7). */
export const malformedChecks = [
  ...paidEndpointNames.flatMap((endpoint) => [
    ...Object.entries(malformed).map(([name, content]) =>
      check('payment.malformed', `A payment that is ${name} is refused (${endpoint})`, (context) =>
        given(context.ask(withPayment(endpoint, context.model, content)), (answered) =>
          judgeRefusal(context, answered),
        ),
      ),
    ),
    check('payment.malformed', `A payment in JSON without base64 is refused (${endpoint})`, (context) =>
      given(
        andThen(throwawayPayment(context, endpoint), (payment) =>
          sendPayment(context, endpoint, {
            ...payment,
            content: Buffer.from(payment.content, 'base64').toString('utf8'),
          }),
        ),
        (answered) => judgeRefusal(context, answered),
      ),
    ),
  ]),
  observation('payment.malformed.status', 'How malformed payments are refused', async (context) => {
    const requests = Object.values(malformed).map((content) => withPayment('chat', context.model, content));
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

function judgeRefusal(context: Context, answered: Answered): Judgement | Promise<Judgement> {
  const isDemand = answered.outcome.status === 402 && errorOf(answered.outcome.body)?.['code'] === undefined;
  if (isDemand && !offerHeader(answered).ok) {
    return broken(`${headerNames.paymentRequired} on the 402`, 'none');
  }
  const verdict = isRefused(answered);
  return verdict.kind === 'holds' ? given(looksAtPayments(context), () => verdict) : verdict;
}

function withPayment(endpoint: PaidEndpoint, model: string, content: string) {
  return validRequest(endpoint, bodyFor(endpoint, model), { [headerNames.payment]: content });
}
