import {
  type Condition,
  hasResult,
  isBeside,
  isLarge,
  isReused,
  isStreamed,
  knowing,
  model,
  parseBody,
  takingStreams,
  type,
} from '../conditions.ts';
import { isAboutFunds } from '../edits.ts';
import type { Mutant } from '../mutant.ts';
import type { PaymentForge } from '../payment-forge.ts';
import { findEndpoint, readPayment, withJson } from '../wire-edits.ts';
import { readPayer, untampered } from './signature.ts';

type Payment = NonNullable<ReturnType<typeof readPayment>>;
type Fault = (payment: Payment, forge: PaymentForge) => boolean;

const isToSelf: Fault = (payment) => String(payment.authorization['to']).toLowerCase() === readPayer(payment);
const isLate: Fault = ({ authorization }, { nowSeconds }) =>
  Number(authorization['validBefore']) < nowSeconds;
const isEarly: Fault = ({ authorization }, { nowSeconds }) =>
  Number(authorization['validAfter']) > nowSeconds;

type Conditional = readonly [id: string, when: string, condition: Condition];

const conditions: readonly Conditional[] = [
  ['last-model', 'for its last model', model(-1)],
  ['reused-connection', 'on a reused connection', isReused],
  ['beside-others', 'while other requests are in progress', isBeside],
  ['large-body', 'for a body of more than 64 KiB', isLarge],
  ['after-a-call', 'after a tool result', hasResult],
  ['private', 'with settlement type `private`', type('private')],
  ['individual', 'with settlement type `individual`', type('individual')],
];

const invalidSignature = {
  error: { message: 'No.', type: 'authentication_error', code: 'invalid_signature' },
} as const;

/** Mutants that check payments wrongly under a condition (contract 3, 7). */
export const signedConditionMutants: readonly Mutant[] = [
  wrongTerms(
    'any-recipient-with-a-type-taken',
    'accepts a payment to a recipient other than `payTo` when a settlement type is given',
    isToSelf,
    ({ headers }) => headers['x-settlement-type'] !== undefined,
  ),
  wrongTerms(
    'any-recipient-beside-others-taken',
    'accepts a payment to a recipient other than `payTo` while other requests are in progress',
    isToSelf,
    isBeside,
  ),
  wrongTerms(
    'expired-beside-others-taken',
    'accepts an expired payment while other requests are in progress',
    isLate,
    isBeside,
  ),
  wrongTerms(
    'early-beside-others-taken',
    'accepts a payment that is not yet valid while other requests are in progress',
    isEarly,
    isBeside,
  ),
  ...[
    wrongTerms(
      'expired-with-a-stream-taken',
      'accepts an expired payment for a body with `stream: true`',
      isLate,
      isStreamed,
    ),
    ...mutateBoth(['stream', 'for a body with `stream: true`', isStreamed]),
  ].map(takingStreams),
  ...conditions.flatMap(mutateBoth),
  ...(['chat', 'completions'] as const).map((endpoint) =>
    tamperedTaken([
      `few-tokens-${endpoint}`,
      `for at most five tokens (${endpoint})`,
      (asked) => findEndpoint(asked) === endpoint && Number(parseBody(asked)['max_tokens'] ?? 100) <= 5,
    ]),
  ),
];

/** Accepts a payment with wrong terms until the check of the balance. */
function wrongTerms(id: string, does: string, isWrong: Fault, condition: Condition): Mutant {
  return {
    id,
    does,
    place: 'read',
    kills: ['conditions.terms'],
    edge: knowing(
      (isMet) => ({
        read: async (asked, forge) => {
          const payment = readPayment(asked);
          const isTaken = payment && isMet(asked) && isWrong(payment, forge);
          return isTaken ? forge.paidBy('stranger', asked) : asked;
        },
      }),
      condition,
    ),
  };
}

/** Only a gateway that lists six models reveals these mutants. */
export const signedSixthModelMutants: readonly Mutant[] = mutateBoth([
  'sixth-model',
  'for its sixth model',
  model(5),
]);

/** Accepts signatures with one changed byte until the check of the balance. */
function tamperedTaken([id, when, condition]: Conditional): Mutant {
  return {
    id: `tampered-${id}-taken`,
    does: `accepts a signature with one byte of \`r\` changed ${when}`,
    place: 'read',
    kills: ['conditions.signature'],
    edge: knowing(
      (isMet) => ({
        read: async (asked, forge) => {
          const payment = readPayment(asked);
          if (!payment || !isMet(asked)) return asked;
          const signer = await forge.recoverSigner(asked, untampered);
          return signer === readPayer(payment) ? forge.paidBy('stranger', asked) : asked;
        },
      }),
      condition,
    ),
  };
}

function mutateBoth([id, when, condition]: Conditional): readonly Mutant[] {
  return [
    tamperedTaken([id, when, condition]),
    {
      id: `poor-${id}-called-forgers`,
      does: `returns 401 instead of insufficient_funds ${when}`,
      place: 'respond',
      kills: ['conditions.funds'],
      edge: knowing(
        (isMet) => ({
          respond: (reply, asked) =>
            isMet(asked) && isAboutFunds(asked, reply)
              ? withJson({ ...reply, status: 401 }, invalidSignature)
              : reply,
        }),
        condition,
      ),
    },
  ];
}
