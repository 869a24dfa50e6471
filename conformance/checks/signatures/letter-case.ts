import { check } from '../../context/check.ts';
import type { Authorization } from '../../payment/sign.ts';
import type { Signed } from '../../payment/throwaway.ts';
import { describe, judgeTransient, readError } from '../../sources/judgements.ts';
import { paidByThrowaway, readsPayments } from '../../sources/throwaway-source.ts';
import { broken, holds } from '../../types/verdict.ts';
import { invalidSignature } from './signature.ts';

/** Payments with changed letter case in one field. */
const otherLetters: Readonly<Record<string, (signed: Signed) => Signed>> = {
  from: within(({ from }) => ({ from: from.toLowerCase() })),
  to: within(({ to }) => ({ to: to === upper(to) ? to.toLowerCase() : upper(to) })),
  nonce: within(({ nonce }) => ({ nonce: upper(nonce) })),
  signature: ({ authorization, signature }) => ({ authorization, signature: upper(signature) }),
};

/**
 * Checks that letter case does not invalidate a signature, which covers the bytes of addresses and nonce
 * (§4.4), and has hex digits itself (§2.10, D-421). A gateway that cannot read the other case may refuse the payment differently (D-130), even with 401
 * and another code (D-123).
 */
export const letterCaseChecks = Object.entries(otherLetters).map(([field, edit]) =>
  check(
    'signature.letter-case',
    `A valid signature does not get 401 for the letter case of \`${field}\``,
    async (context) => {
      const reads = await readsPayments(context);
      if (!reads.ok) return reads.verdict;
      const sent = await paidByThrowaway(context, 'chat', () => ({ edit }));
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

function within(change: (authorization: Authorization) => Partial<Authorization>) {
  return ({ authorization, signature }: Signed): Signed => ({
    authorization: { ...authorization, ...change(authorization) },
    signature,
  });
}

/** Hex digits in upper case; the prefix stays. */
function upper(hex: string): string {
  return `0x${hex.slice(2).toUpperCase()}`;
}
