import type { PaymentState } from '../../types/payment-states.ts';
import { forgotten } from '../rows.ts';
import type { SyncStore, SyncStorePorts } from './operations.ts';

export function answerOperations({
  statements: { run, all },
}: SyncStorePorts): Pick<
  SyncStore,
  'dropAnswer' | 'dropAnswersBefore' | 'dropRefusedAnswersBefore' | 'totals'
> {
  return {
    dropAnswer(id) {
      run(`UPDATE payment SET ${forgotten} WHERE id = ? AND settled_at IS NOT NULL`, id);
    },

    // One that a reorganisation took back may be owed again: it is kept until it settles anew.
    dropAnswersBefore: (settledBefore) =>
      run(
        `UPDATE payment SET ${forgotten}
         WHERE answer IS NOT NULL AND settled_at IS NOT NULL AND settled_at < ? AND state IN ('settled', 'final')`,
        settledBefore,
      ),

    // What is looked at was not touched since it was refused.
    dropRefusedAnswersBefore: (refusedBefore) =>
      run(
        `UPDATE payment SET ${forgotten} WHERE answer IS NOT NULL AND looked_at IS NOT NULL AND updated_at < ?`,
        refusedBefore,
      ),

    totals: () =>
      new Map(
        all('SELECT state, count(*) AS payments, sum(amount) AS amount FROM payment GROUP BY state').map(
          ({ state, payments, amount }) => [
            state as PaymentState,
            { payments: Number(payments), amount: amount as bigint },
          ],
        ),
      ),
  };
}
