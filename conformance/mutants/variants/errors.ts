import { failing, isAboutFunds, replying } from '../edits.ts';
import { encoded, isPaid, type Json, withHeader, withJson, withoutHeader } from '../wire-edits.ts';
import { type LegalVariant, marked, open, variant } from './variant.ts';

function ownError(type: string, code: string): Json {
  return { error: { message: 'No.', type, code } };
}

/** Legal variants of errors, where the error table has no row or does not define the rest of the response. */
export const errorVariants: readonly LegalVariant[] = [
  variant(
    'unknown-model-by-its-own-name',
    'uses its own error type and code for an unknown model',
    open.otherStatuses,
    {
      respond: failing(400, () => ownError('not_found_error', 'model_not_found'), {
        when: (asked) => asked.text.includes('no-such-model'),
      }),
    },
  ),
  variant(
    'bad-payments-by-their-own-name',
    'sends its own error beside the offer after a refused payment',
    open.noValidPayment,
    {
      respond: replying((reply, asked) =>
        reply.status === 402 && isPaid(asked) && !isAboutFunds(asked, reply)
          ? withJson(reply, ownError('payment_error', 'payment_not_taken'))
          : reply,
      ),
    },
  ),
  variant(
    'bad-payments-as-400-by-their-own-name',
    'returns 400 with its own error for an invalid payment',
    open.noValidPayment,
    {
      respond: replying((reply, asked) =>
        reply.status === 402 && isPaid(asked) && !isAboutFunds(asked, reply)
          ? withJson({ ...reply, status: 400 }, ownError('payment_error', 'payment_not_taken'))
          : reply,
      ),
    },
  ),
  variant('poor-payers-without-offer', 'omits the offer when the balance is too low', open.balance, {
    respond: replying((reply) => marked(withoutHeader(reply, 'X-PAYMENT-REQUIRED')), { when: isAboutFunds }),
  }),
  variant('poor-payers-with-offer', 'sends an offer when the balance is too low', open.balance, {
    respond: replying((reply) => withHeader(reply, 'X-PAYMENT-REQUIRED', encoded({ scheme: 'exact' })), {
      when: isAboutFunds,
    }),
  }),
  variant('errors-as-problems', 'declares its errors as application/problem+json', open.bodies, {
    respond: replying((reply) => withHeader(reply, 'Content-Type', 'application/problem+json'), {
      when: (asked, reply) => reply.status === 400 || reply.status === 401 || isAboutFunds(asked, reply),
    }),
  }),
];
