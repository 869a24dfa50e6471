import { chargedStates, dueStates } from '../../types/payment-states.ts';
import { describeNotOwed, type OwedStore, owedRunsMax } from '../owed.ts';
import { LeaseLost } from '../relayer-lease.ts';
import { forgottenRequest, toDroppedOwed, toPaymentSum } from '../rows.ts';
import type { PaymentRecord } from '../store.ts';
import { listed, refusal, storeTransitions } from '../transitions.ts';
import type { ReadPayment, SyncStore, SyncStorePorts } from './operations.ts';
import { setDue, writeProof } from './proof-life.ts';

const charged = `state IN (${listed(chargedStates)})`;

/** The statements that find owed payments without an id. A test reads their plans. */
export const dropOwed = `UPDATE payment SET is_owed = 0, ${forgottenRequest}
  WHERE is_owed = 1 AND settled_at < ? AND ${charged} AND lease_until <= ? RETURNING id, payer, amount`;
export const sumOwed = `SELECT count(*) AS payments, coalesce(sum(amount), 0) AS amount FROM payment
  WHERE is_owed = 1 AND ${charged}`;

export function owedOperations(
  ports: SyncStorePorts,
  read: ReadPayment,
): Pick<SyncStore, keyof OwedStore<PaymentRecord>> {
  const {
    statements: { run, one, all },
    health,
    stamp,
  } = ports;
  return {
    owe(id) {
      health.assertLinked();
      const changes = run(
        `UPDATE payment SET state = 'executed', is_owed = 1, updated_at = ?1
         WHERE id = ?2 AND state IN (${listed(storeTransitions.owe.from)}) AND lease_until > ?1`,
        stamp(),
        id,
      );
      if (changes === 1) return;
      // The first attempt may have succeeded.
      const kept = one('SELECT 1 FROM payment WHERE id = ? AND is_owed = 1 AND owed_runs = 0', id);
      if (kept === undefined) throw new LeaseLost(refusal([id], storeTransitions.owe));
    },

    completeOwed: (...parameters) => completeOwed(ports, read, ...parameters),

    takeOwed(id, leaseUntil, now) {
      const row = one(
        `UPDATE payment SET lease_until = ?1 + owed_runs + 1, owed_runs = owed_runs + 1
         WHERE id = ?2 AND is_owed = 1 AND lease_until <= ?3 AND owed_runs < ${owedRunsMax}
           AND state IN (${listed(dueStates)}) RETURNING *`,
        leaseUntil,
        id,
        now,
      );
      return row === undefined ? null : read(row);
    },

    endOwedRun(id, leaseUntil, restSeconds = 0) {
      run(
        `UPDATE payment SET lease_until = ?1 + ?4
         WHERE id = ?2 AND is_owed = 1 AND lease_until = ?3 AND lease_until > ?1`,
        stamp(),
        id,
        leaseUntil,
        restSeconds,
      );
    },

    dropOwedBefore: (settledBefore) => all(dropOwed, settledBefore, stamp()).map(toDroppedOwed),

    owedTotals: () => toPaymentSum(one(sumOwed)),
  };
}

function completeOwed(
  { statements, cipher, stamp }: SyncStorePorts,
  read: ReadPayment,
  ...[id, leaseUntil, completion, proof]: Parameters<SyncStore['completeOwed']>
): void {
  const { one } = statements;
  // `updated_at` stays, because it is the time of a refusal. A completion is kept for a time from `settled_at`, so
  // the time of a late completion begins now.
  const row = one(
    `UPDATE payment SET completion = ?1, proof = ?2, is_owed = 0,
       settled_at = CASE WHEN ${charged} THEN ?3 ELSE settled_at END
     WHERE id = ?4 AND is_owed = 1 AND lease_until = ?5 RETURNING ${charged} AS is_charged`,
    cipher.seal(id, completion),
    proof && cipher.seal(id, proof.header, 'proof'),
    stamp(),
    id,
    leaseUntil,
  );
  if (row === undefined) {
    // The first attempt may have succeeded.
    const kept = one('SELECT * FROM payment WHERE id = ?', id);
    if (kept === undefined || read(kept).completion !== completion) throw new LeaseLost(describeNotOwed(id));
    return;
  }
  if (!proof?.record) return;
  writeProof(statements, id, proof.record);
  if (row['is_charged'] === 1n) setDue(statements, id, stamp());
}
