import {
  type Condition,
  hasResult,
  isBeside,
  isLarge,
  isReused,
  isStreamed,
  knowing,
  model,
  takingStreams,
  type,
} from '../conditions.ts';
import { isAboutFunds } from '../edits.ts';
import type { Mutant } from '../mutant.ts';
import type { PaymentForge } from '../payment-forge.ts';
import { paymentOf, withJson } from '../wire-edits.ts';
import { fromOf, untampered } from './signature.ts';

type Payment = NonNullable<ReturnType<typeof paymentOf>>;
type Fault = (payment: Payment, forge: PaymentForge) => boolean;

const isToSelf: Fault = (payment) => String(payment.authorization['to']).toLowerCase() === fromOf(payment);
const isLate: Fault = ({ authorization }, { nowSeconds }) =>
  Number(authorization['validBefore']) < nowSeconds;
const isEarly: Fault = ({ authorization }, { nowSeconds }) =>
  Number(authorization['validAfter']) > nowSeconds;

type Conditional = readonly [id: string, when: string, condition: Condition];

const conditions: readonly Conditional[] = [
  ['last-model', 'for its last model', model(-1)],
  ['reused-connection', 'on a connection that was used before', isReused],
  ['beside-others', 'while others are under way', isBeside],
  ['large-body', 'for a body of more than 64 KiB', isLarge],
  ['after-a-call', 'after a tool call', hasResult],
  ['private', 'with `private`', type('private')],
  ['individual', 'with `individual`', type('individual')],
];

const invalidSignature = {
  error: { message: 'No.', type: 'authentication_error', code: 'invalid_signature' },
} as const;

/** Payments that are looked at otherwise under a condition (contract 3, 7). */
export const signedConditionMutants: readonly Mutant[] = [
  wrongTerms(
    'any-recipient-with-a-type-taken',
    'takes a payment to another than `payTo` with a settlement type',
    isToSelf,
    ({ headers }) => headers['x-settlement-type'] !== undefined,
  ),
  wrongTerms(
    'any-recipient-beside-others-taken',
    'takes a payment to another than `payTo` while others are under way',
    isToSelf,
    isBeside,
  ),
  wrongTerms(
    'expired-beside-others-taken',
    'takes a payment that has expired while others are under way',
    isLate,
    isBeside,
  ),
  wrongTerms(
    'early-beside-others-taken',
    'takes a payment that is not valid yet while others are under way',
    isEarly,
    isBeside,
  ),
  ...[
    wrongTerms(
      'expired-with-a-stream-taken',
      'takes a payment that has expired for a body with `stream` true',
      isLate,
      isStreamed,
    ),
    ...ofBoth(['stream', 'for a body with `stream` true', isStreamed]),
  ].map(takingStreams),
  ...conditions.flatMap(ofBoth),
];

/** Takes a payment with wrong terms, as far as its payer's balance. */
function wrongTerms(id: string, does: string, isWrong: Fault, condition: Condition): Mutant {
  return {
    id,
    does,
    place: 'read',
    kills: ['conditions.terms'],
    edge: knowing(
      (isMet) => ({
        read: async (asked, forge) => {
          const payment = paymentOf(asked);
          const isTaken = payment && isMet(asked) && isWrong(payment, forge);
          return isTaken ? forge.paidBy('stranger', asked) : asked;
        },
      }),
      condition,
    ),
  };
}

/** Only a gateway that lists six models shows them. */
export const signedSixthModelMutants: readonly Mutant[] = ofBoth([
  'sixth-model',
  'for its sixth model',
  model(5),
]);

function ofBoth([id, when, condition]: Conditional): readonly Mutant[] {
  return [
    {
      id: `tampered-${id}-taken`,
      does: `does not verify signatures to the last byte ${when}`,
      place: 'read',
      kills: ['conditions.signature'],
      edge: knowing(
        (isMet) => ({
          read: async (asked, forge) => {
            const payment = paymentOf(asked);
            if (!payment || !isMet(asked)) return asked;
            const signer = await forge.signerOf(asked, untampered);
            return signer === fromOf(payment) ? forge.paidBy('stranger', asked) : asked;
          },
        }),
        condition,
      ),
    },
    {
      id: `poor-${id}-called-forgers`,
      does: `answers 401 to a payer without funds ${when}`,
      place: 'answer',
      kills: ['conditions.funds'],
      edge: knowing(
        (isMet) => ({
          answer: (reply, asked) =>
            isMet(asked) && isAboutFunds(asked, reply)
              ? withJson({ ...reply, status: 401 }, invalidSignature)
              : reply,
        }),
        condition,
      ),
    },
  ];
}
