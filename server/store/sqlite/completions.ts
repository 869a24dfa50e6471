import { type PaymentState, undecidedFailure } from '../../types/payment-states.ts';
import { unixSeconds } from '../../types/units.ts';
import { changesMax, refusedBytesMin } from '../bulk.ts';
import type { CompletionStore } from '../completion-store.ts';
import { forgotten, toOpenTotals, toPaymentSum, toSettlementQueue, toUnsettled } from '../rows.ts';
import { openTotalsSql, settlementQueueSql, type TotalsStore, unsettledSql } from '../totals.ts';
import type { SyncStore, SyncStorePorts } from './operations.ts';

/** The statement of `openTotals`. A test reads its plan. */
export const sumOpen = openTotalsSql('payment');
const isRefusedAndKept = 'completion IS NOT NULL AND checked_at IS NOT NULL AND failure IS NOT ?';
const refusedBytes = `max(length(completion), ${refusedBytesMin})`;
/** The statement of `refusedCompletionBytes`. A test reads its plan. */
export const sumRefused = `SELECT coalesce(sum(${refusedBytes}), 0) AS bytes
  FROM payment INDEXED BY payment_refused_completion WHERE ${isRefusedAndKept}`;
/** The statement of `unsettled`. A test reads its plan. */
export const countUnsettled = unsettledSql('payment');

/** The statements of `settlementQueue`. A test reads their plans. */
export const readQueue = settlementQueueSql('', '?');

export function completionOperations({
  statements: { run, one, all },
}: SyncStorePorts): Pick<SyncStore, keyof CompletionStore | keyof TotalsStore> {
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

    refusedCompletionBytes: () => Number(one(sumRefused, undecidedFailure)?.['bytes']),

    dropOldestRefusedCompletions(bytes) {
      const oldest = all(
        `SELECT id, bytes FROM (
           SELECT id, bytes, sum(bytes) OVER (ORDER BY updated_at, id) - bytes AS before FROM (
             SELECT id, updated_at, ${refusedBytes} AS bytes
             FROM payment INDEXED BY payment_refused_completion WHERE ${isRefusedAndKept}
             ORDER BY updated_at, id LIMIT ${changesMax}))
         WHERE before < ?`,
        undecidedFailure,
        bytes,
      );
      for (const { id } of oldest) run(`UPDATE payment SET ${forgotten} WHERE id = ?`, id as bigint);
      return oldest.reduce((sum, row) => sum + Number(row['bytes']), 0);
    },

    totals: () =>
      new Map(
        all('SELECT state, count(*) AS payments, sum(amount) AS amount FROM payment GROUP BY state').map(
          (row) => [row['state'] as PaymentState, toPaymentSum(row)],
        ),
      ),

    openTotals: () => toOpenTotals(all(sumOpen), unixSeconds),
    unsettled: () => toUnsettled(all(countUnsettled)),
    settlementQueue: (settledSince) =>
      toSettlementQueue(all(readQueue.unsent), one(readQueue.settled, settledSince), unixSeconds),
  };
}
