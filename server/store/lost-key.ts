import type { CompletionCipher } from './completion-cipher.ts';
import type { Row } from './rows.ts';

/** Reads the completions of payments that never settled. The columns fit the indexes of open payments. */
export const unsettledCompletions = `SELECT p.id, p.payer, p.amount, p.state, p.completion,
    EXISTS (SELECT 1 FROM payment_transaction t WHERE t.payment_id = p.id) AS is_sent
  FROM payment p WHERE (p.state = 'executed' OR p.state = 'submitted' OR p.checked_at IS NOT NULL)
    AND p.completion IS NOT NULL AND p.settled_at IS NULL ORDER BY p.id`;

/** The payments that lost their completions with the key of the store (D-236). */
export type LostCompletions = {
  /** Payments whose completions must be dropped. */
  readonly ids: readonly number[];
  /** Those among them that no transaction and no facilitator can charge. They are released. */
  readonly unsent: readonly number[];
  /** Sentences for the operator: the number of released payments, and each payment that may need a refund. */
  readonly faults: readonly string[];
};

/** Finds the rows of `unsettledCompletions` that the key of the store does not decrypt. */
export function findLost(rows: readonly Row[], cipher: CompletionCipher): LostCompletions {
  const lost = rows.filter((row) => cipher.open(Number(row['id']), row['completion'] as Uint8Array) === null);
  const sent = lost.filter((row) => Boolean(row['is_sent']));
  const unsent = lost.filter((row) => row['state'] === 'executed' && !sent.includes(row));
  const released = `The key of the completions is new. The gateway released ${unsent.length} payment(s) without a charge, because it cannot read their completions.`;
  return {
    ids: lost.map(({ id }) => Number(id)),
    unsent: unsent.map(({ id }) => Number(id)),
    faults: [...(unsent.length > 0 ? [released] : []), ...sent.map(describeRefund)],
  };
}

function describeRefund({ id, payer, amount }: Row): string {
  return `Payment ${id} of payer ${payer} over ${amount} units was sent before the key of the completions was lost. If the chain charges the payment, pay it back.`;
}
