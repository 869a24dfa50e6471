import { check } from '../../context/check.ts';
import type { Authorization } from '../../payment/sign.ts';
import { describe, judgeTransient, readError } from '../../sources/judgements.ts';
import { paidByThrowaway, readsPayments } from '../../sources/throwaway-source.ts';
import { broken, holds } from '../../types/verdict.ts';
import { invalidSignature } from './signature.ts';

/** The fields of a payment with changed letter case. */
const otherLetters = {
  from: ({ from }) => from.toLowerCase(),
  to: ({ to }) => (to === upper(to) ? to.toLowerCase() : upper(to)),
  nonce: ({ nonce }) => upper(nonce),
} as const satisfies Partial<Record<keyof Authorization, (signed: Authorization) => string>>;

/**
 * Checks that letter case does not invalidate a signature, which covers the bytes of addresses and nonce
 * (§4.4). A gateway that cannot read the other case may refuse the payment differently (D-130), even with 401
 * and another code (D-123).
 */
export const letterCaseChecks = Object.entries(otherLetters).map(([field, written]) =>
  check(
    'signature.letter-case',
    `A valid signature does not get 401 for the letter case of \`${field}\``,
    async (context) => {
      const reads = await readsPayments(context);
      if (!reads.ok) return reads.verdict;
      const sent = await paidByThrowaway(context, 'chat', () => ({
        edit: ({ authorization, signature }) => ({
          authorization: { ...authorization, [field]: written(authorization) },
          signature,
        }),
      }));
      if (!sent.ok) return sent.verdict;
      const answered = sent.value;
      const isForSignature =
        answered.outcome.status === 401 &&
        readError(answered.outcome.body)?.['code'] === invalidSignature.code;
      if (!isForSignature) return judgeTransient(answered) ?? holds(describe(answered));
      return broken(`no 401 with code "${invalidSignature.code}"`, describe(answered));
    },
  ),
);

/** Hex digits in upper case; the prefix stays. */
function upper(hex: string): string {
  return `0x${hex.slice(2).toUpperCase()}`;
}
