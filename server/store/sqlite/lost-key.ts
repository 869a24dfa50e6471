import type { CompletionCipher } from '../completion-cipher.ts';
import { findLost, type LostCompletions, unsettledCompletions } from '../lost-key.ts';
import { forgotten } from '../rows.ts';
import { listed, refusal, storeTransitions } from '../transitions.ts';
import { releaseHold } from './accounts.ts';
import type { Statements } from './database.ts';
import { toPosting } from './outcomes.ts';
import { dropUnpaid } from './proof-life.ts';

/**
 * Drops the completions of unsettled payments that the key of the store does not decrypt. Releases those payments
 * that nothing can charge (D-236).
 */
export function releaseLost(
  statements: Statements,
  cipher: CompletionCipher,
  stamp: number,
): LostCompletions {
  const { run, one, all } = statements;
  const { to, from } = storeTransitions.releaseLost;
  const lost = findLost(all(unsettledCompletions), cipher);
  // No purchase joins a completion that the key does not decrypt.
  run('DELETE FROM purchase');
  for (const id of lost.ids) run(`UPDATE payment SET ${forgotten} WHERE id = ?`, id);
  for (const id of lost.unsent) {
    const row = one(
      `UPDATE payment SET state = '${to}', relayer = NULL, updated_at = ?
       WHERE id = ? AND state IN (${listed(from)}) RETURNING asset, payer, amount`,
      stamp,
      id,
    );
    if (row === undefined) throw new Error(refusal([id], storeTransitions.releaseLost));
    releaseHold(statements, toPosting(row));
    dropUnpaid(statements, id);
  }
  return lost;
}
