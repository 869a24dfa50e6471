import { correctionsMax } from '../bulk.ts';
import type { SyncStore, SyncStorePorts } from './operations.ts';

/** A longer time since the last check may be a clock that was wrong. */
const usualPauseSeconds = 86_400;

/**
 * Corrects the times that earlier runs wrote. Each run has its own steady clock, so these times may lie hours
 * ahead or in the past (D-208). Each call writes a bounded number of rows, because an operation of the store has a deadline.
 */
export function correctionOperations({
  statements: { run },
  balanceAgeMaxSeconds,
}: SyncStorePorts): Pick<SyncStore, 'correctTimes'> {
  return {
    correctTimes(now, debtBlockSeconds) {
      // The last check is the last known time of the run, so the difference is the age of the refusal. Only a completion is
      // dropped for its age. After a usual pause nothing is written, because there may be many refused payments (D-384).
      const aged = run(
        `UPDATE payment SET updated_at = ?1 - max(0, checked_at - updated_at), checked_at = ?1 WHERE id IN (
           SELECT id FROM payment
           WHERE completion IS NOT NULL AND checked_at IS NOT NULL AND (checked_at > ?1 OR checked_at < ?2)
           LIMIT ${correctionsMax})`,
        now,
        now - usualPauseSeconds,
      );
      // Payments that were checked long ago are the next ones anyway.
      const early = run(
        `UPDATE payment SET checked_at = ?1 WHERE id IN (
           SELECT id FROM payment WHERE checked_at > ?1 AND completion IS NULL LIMIT ${correctionsMax})`,
        now,
      );
      // The other times are few. The last call corrects them.
      const corrected = Math.max(aged, early);
      if (corrected === correctionsMax) return corrected;
      run(
        `UPDATE payer_account SET balance_block = -1, blocked_until = min(blocked_until, ?1)
         WHERE blocked_until > ?1 OR balance_read_at >= ?2`,
        now + debtBlockSeconds,
        now - balanceAgeMaxSeconds,
      );
      // `dropCompletionsBefore` and `dropOwedBefore` of the main thread cover settlements that seem too old.
      run('UPDATE payment SET settled_at = ?1 WHERE completion IS NOT NULL AND settled_at > ?1', now);
      run('UPDATE payment SET settled_at = ?1 WHERE is_owed = 1 AND settled_at > ?1', now);
      // Only this process uses the file, so the processes that held the leases have ended.
      run('UPDATE payment SET lease_until = ?1 WHERE is_owed = 1 AND lease_until > ?1', now);
      run('UPDATE relayer_lease SET lease_until = ?1 WHERE lease_until > ?1', now);
      run(
        `UPDATE proof SET due_at = ?1
         WHERE due_at > ?1 AND settlement_type = 'batch' AND batch_id IS NULL`,
        now,
      );
      run('UPDATE proof SET checked_at = ?1 WHERE checked_at > ?1', now);
      return corrected;
    },
  };
}
