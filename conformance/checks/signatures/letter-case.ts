import { check } from '../../context/check.ts';
import type { Authorization } from '../../payment/sign.ts';
import { describe, errorOf, passing } from '../../sources/judgements.ts';
import { paidByThrowaway, readsPayments } from '../../sources/throwaway-source.ts';
import { andThen, given } from '../../types/found.ts';
import { broken, holds } from '../../types/verdict.ts';
import { invalidSignature } from './signature.ts';

/** The same bytes in other letters than a payment has as ever, by the field that they are in. */
const otherLetters = {
  from: ({ from }) => from.toLowerCase(),
  to: ({ to }) => (to === upper(to) ? to.toLowerCase() : upper(to)),
  nonce: ({ nonce }) => upper(nonce),
} as const satisfies Partial<Record<keyof Authorization, (signed: Authorization) => string>>;

/**
 * A signature is over the bytes of an address or a nonce (contract 4.4), and so as valid in other letters. Whoever cannot read
 * them may refuse the payment in another way than for its signature (D-130), with 401 and a code of its own too (D-123).
 */
export const letterCaseChecks = Object.entries(otherLetters).map(([field, written]) =>
  check(
    'signature.letter-case',
    `A good signature is not answered 401 for the case of letters in \`${field}\``,
    (context) =>
      given(
        andThen(readsPayments(context), () =>
          paidByThrowaway(context, 'chat', () => ({
            edit: ({ authorization, signature }) => ({
              authorization: { ...authorization, [field]: written(authorization) },
              signature,
            }),
          })),
        ),
        (answered) => {
          const isForSignature =
            answered.outcome.status === 401 &&
            errorOf(answered.outcome.body)?.['code'] === invalidSignature.code;
          if (!isForSignature) return passing(answered) ?? holds(describe(answered));
          return broken('another status than 401, or another code', describe(answered));
        },
      ),
  ),
);

/** Hex digits alone: the prefix is no digit. */
function upper(hex: string): string {
  return `0x${hex.slice(2).toUpperCase()}`;
}
