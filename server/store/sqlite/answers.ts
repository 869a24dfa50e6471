import type { PaymentState } from '../../payment/life.ts';
import type { Ledger, LedgerPorts } from './ledger.ts';

export function answerOperations({
  statements: { run, all },
}: LedgerPorts): Pick<Ledger, 'dropAnswer' | 'dropAnswersBefore' | 'totals'> {
  return {
    dropAnswer(id) {
      run('UPDATE payment SET answer = NULL WHERE id = ? AND settled_at IS NOT NULL', id);
    },

    // One that a reorganisation took back may be owed again: it is kept until it settles anew.
    dropAnswersBefore: (settledBefore) =>
      run(
        `UPDATE payment SET answer = NULL
         WHERE answer IS NOT NULL AND settled_at IS NOT NULL AND settled_at < ? AND state IN ('settled', 'final')`,
        settledBefore,
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
