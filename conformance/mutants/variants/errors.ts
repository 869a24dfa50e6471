import { failing, isAboutFunds, replying } from '../edits.ts';
import { encoded, isPaid, type Json, withHeader, withJson, withoutHeader } from '../wire-edits.ts';
import { type LegalVariant, marked, open, variant } from './variant.ts';

function ownError(type: string, code: string): Json {
  return { error: { message: 'No.', type, code } };
}

/** What error bodies say where the error table has no row for their condition, or leaves it open what stands beside them. */
export const errorVariants: readonly LegalVariant[] = [
  variant(
    'unknown-model-by-its-own-name',
    'has a code of its own for a model that it has not',
    open.otherStatuses,
    {
      answer: failing(400, () => ownError('not_found_error', 'model_not_found'), {
        when: (asked) => asked.text.includes('no-such-model'),
      }),
    },
  ),
  variant(
    'bad-payments-by-their-own-name',
    'names what is wrong with a payment by a code of its own, beside the offer',
    open.noValidPayment,
    {
      answer: replying((reply, asked) =>
        reply.status === 402 && isPaid(asked) && !isAboutFunds(asked, reply)
          ? withJson(reply, ownError('payment_error', 'payment_not_taken'))
          : reply,
      ),
    },
  ),
  variant(
    'bad-payments-as-400-by-their-own-name',
    'answers 400 with a code of its own to payments that are none for the request',
    open.noValidPayment,
    {
      answer: replying((reply, asked) =>
        reply.status === 402 && isPaid(asked) && !isAboutFunds(asked, reply)
          ? withJson({ ...reply, status: 400 }, ownError('payment_error', 'payment_not_taken'))
          : reply,
      ),
    },
  ),
  variant('poor-payers-without-offer', 'makes no offer to who owns too little', open.balance, {
    answer: replying((reply) => marked(withoutHeader(reply, 'X-PAYMENT-REQUIRED')), { when: isAboutFunds }),
  }),
  variant('poor-payers-with-offer', 'makes an offer to who owns too little', open.balance, {
    answer: replying((reply) => withHeader(reply, 'X-PAYMENT-REQUIRED', encoded({ scheme: 'exact' })), {
      when: isAboutFunds,
    }),
  }),
  variant('errors-as-problems', 'declares its errors as application/problem+json', open.bodies, {
    answer: replying((reply) => withHeader(reply, 'Content-Type', 'application/problem+json'), {
      when: (asked, reply) => reply.status === 400 || reply.status === 401 || isAboutFunds(asked, reply),
    }),
  }),
];
