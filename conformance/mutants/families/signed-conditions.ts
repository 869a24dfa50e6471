import {
  type Condition,
  hasResult,
  isBeside,
  isLarge,
  isReused,
  knowing,
  model,
  type,
} from '../conditions.ts';
import { isAboutFunds } from '../edits.ts';
import type { Mutant } from '../mutant.ts';
import { paymentOf, withJson } from '../wire-edits.ts';
import { fromOf, untampered } from './signature.ts';

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
  {
    id: 'any-recipient-with-a-type-taken',
    does: 'takes a payment to another than `payTo` with a settlement type',
    place: 'read',
    kills: ['conditions.terms'],
    edge: knowing(
      (isMet) => ({
        read: async (asked, forge) => {
          const payment = paymentOf(asked);
          const isForeign =
            String(payment?.authorization['to']).toLowerCase() === (payment && fromOf(payment));
          return isForeign && isMet(asked) ? forge.paidBy('stranger', asked) : asked;
        },
      }),
      ({ headers }) => headers['x-settlement-type'] !== undefined,
    ),
  },
  ...conditions.flatMap(ofBoth),
];

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
