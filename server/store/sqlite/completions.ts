import { type PaymentState, undecidedFailure } from '../../types/payment-states.ts';
import { unixSeconds } from '../../types/units.ts';
import { changesMax, refusedBytesMin } from '../bulk.ts';
import { forgotten, toOpenTotals, toPaymentSum, toSettlementQueue } from '../rows.ts';
import { openTotalsSql, settlementQueueSql, type TotalsStore } from '../totals.ts';
import type { SyncStore, SyncStorePorts } from './operations.ts';

/** The statement of `openTotals`. A test reads its plan. */
export const sumOpen = openTotalsSql('payment');

/** The statements of `settlementQueue`. A test reads their plans. */
export const readQueue = settlementQueueSql('', '?');

export function completionOperations({
  statements: { run, one, all },
}: SyncStorePorts): Pick<
  SyncStore,
  | 'dropCompletion'
  | 'dropCompletionsBefore'
  | 'dropRefusedCompletionsBefore'
  | 'dropRefusedCompletionsBeyond'
  | keyof TotalsStore
> {
  return {
    dropCompletion(id) {
      run(`UPDATE payment SET ${forgotten} WHERE id = ? AND settled_at IS NOT NULL AND NOT is_owed`, id);
    },

    // After a reorganisation a payment may owe its completion again, so the store keeps it until the payment
    // settles anew.
    dropCompletionsBefore: (settledBefore) =>
      run(
        `UPDATE payment SET ${forgotten} WHERE id IN (
           SELECT id FROM payment
           WHERE completion IS NOT NULL AND settled_at IS NOT NULL AND settled_at < ? AND state IN ('settled', 'final')
           ORDER BY settled_at LIMIT ${changesMax})`,
        settledBefore,
      ),

    // The row of a refused payment does not change until it is closed, so `updated_at` is the time of the
    // refusal. An undecided payment was not refused (D-234).
    dropRefusedCompletionsBefore: (refusedBefore) =>
      run(
        `UPDATE payment SET ${forgotten} WHERE id IN (
           SELECT id FROM payment WHERE completion IS NOT NULL AND checked_at IS NOT NULL AND updated_at < ?
             AND failure IS NOT ? LIMIT ${changesMax})`,
        refusedBefore,
        undecidedFailure,
      ),

    dropRefusedCompletionsBeyond: (bytesMax) =>
      run(
        `UPDATE payment SET ${forgotten} WHERE id IN (
           SELECT id FROM (
             SELECT id, sum(max(length(completion), ${refusedBytesMin})) OVER (ORDER BY updated_at DESC, id DESC) AS held
             FROM payment WHERE completion IS NOT NULL AND checked_at IS NOT NULL AND failure IS NOT ?)
           WHERE held > ? LIMIT ${changesMax})`,
        undecidedFailure,
        bytesMax,
      ),

    totals: () =>
      new Map(
        all('SELECT state, count(*) AS payments, sum(amount) AS amount FROM payment GROUP BY state').map(
          (row) => [row['state'] as PaymentState, toPaymentSum(row)],
        ),
      ),

    openTotals: () => toOpenTotals(all(sumOpen), unixSeconds),
    settlementQueue: (settledSince) =>
      toSettlementQueue(all(readQueue.unsent), one(readQueue.settled, settledSince), unixSeconds),
  };
}
