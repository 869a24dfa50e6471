import type { RequirementId } from '@paid-inference/contract/requirements';
import type { SettlementType } from '@paid-inference/contract/types';
import { isPaidWithFunds, isUnpaid, replying } from '../edits.ts';
import type { Asked } from '../message.ts';
import { type Mutant, reads, responds } from '../mutant.ts';
import type { PaymentForge } from '../payment-forge.ts';
import { findEndpoint, withJson } from '../wire-edits.ts';

const name = 'x-settlement-type';
const types = ['private', 'individual', 'batch'] as const satisfies readonly SettlementType[];
const message = 'X-SETTLEMENT-TYPE is missing.';
const refusal = {
  error: { message, type: 'invalid_request_error', code: 'invalid_request', param: 'X-SETTLEMENT-TYPE' },
};

/** Mutants of the header `X-SETTLEMENT-TYPE` (contract 4.1, 4.3). */
export const settlementTypeMutants: readonly Mutant[] = [
  ...types.flatMap((type) => [
    refusing(
      `${type}-refused`,
      `rejects settlement type \`${type}\` for a chat`,
      `settlement-type.${type}.accepted`,
      type,
      (asked) => findEndpoint(asked) === 'chat',
    ),
    refusing(
      `${type}-refused-once-paid`,
      `makes an offer for a chat with settlement type \`${type}\`, but rejects the paid request`,
      `settlement-type.${type}.served`,
      type,
      (asked, forge) => findEndpoint(asked) === 'chat' && isPaidWithFunds(asked, forge),
    ),
    refusing(
      `${type}-refused-for-text-once-paid`,
      `makes an offer for a text completion with settlement type \`${type}\`, but rejects the paid request`,
      'settlement-type.completions.served',
      type,
      (asked, forge) => findEndpoint(asked) === 'completions' && isPaidWithFunds(asked, forge),
    ),
    refusing(
      `${type}-refused-for-text`,
      `rejects settlement type \`${type}\` for a text completion`,
      'settlement-type.completions.accepted',
      type,
      (asked) => findEndpoint(asked) === 'completions',
    ),
  ]),
  responds(
    'settlement-type-demanded',
    'returns 400 for an unpaid request without `X-SETTLEMENT-TYPE`, and names the header',
    ['settlement-type.optional', 'unpaid.chat.402', 'unpaid.completions.402'],
    replying(
      (reply, asked) =>
        reply.status === 402 && asked.headers[name] === undefined
          ? withJson({ ...reply, status: 400 }, refusal)
          : reply,
      { when: isUnpaid },
    ),
  ),
];

/** The gateway reads an unknown settlement type instead of the one that was sent. */
function refusing(
  id: string,
  does: string,
  kills: RequirementId,
  type: SettlementType,
  when: (asked: Asked, forge: PaymentForge) => boolean,
): Mutant {
  return reads(id, does, [kills], (asked, forge) =>
    asked.headers[name] === type && when(asked, forge)
      ? { ...asked, headers: { ...asked.headers, [name]: 'unheard-of' } }
      : asked,
  );
}
