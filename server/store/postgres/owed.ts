import { chargedStates, dueStates } from '../../types/payment-states.ts';
import { describeNotOwed, type OwedStore, owedRunsMax } from '../owed.ts';
import { proofColumns } from '../proof-rows.ts';
import { LeaseLost } from '../relayer-lease.ts';
import { forgottenRequest, toDroppedOwed, toPaymentSum } from '../rows.ts';
import type { PaymentRecord } from '../store.ts';
import { listed, refusal, storeTransitions } from '../transitions.ts';
import type { Connections } from './connections.ts';
import { type CompletionItem, completionColumns, listValues, sharedLengthMax } from './execute.ts';
import { isOwnKey, type PostgresPorts } from './ports.ts';
import { toArrays, unnest } from './unnest.ts';

const charged = `state IN (${listed(chargedStates)})`;

const oweSql = `UPDATE paid_inference.payment SET state = 'executed', is_owed = true, updated_at = $2
  WHERE id = ANY ($1) AND state IN (${listed(storeTransitions.owe.from)}) AND lease_until > $2 AND ${isOwnKey('$3')}
  RETURNING id`;

const takeSql = `UPDATE paid_inference.payment SET lease_until = $2 + owed_runs + 1, owed_runs = owed_runs + 1
  WHERE id = $1 AND is_owed AND lease_until <= $3 AND owed_runs < ${owedRunsMax}
    AND state IN (${listed(dueStates)}) AND ${isOwnKey('$4')}
  RETURNING *`;

const dropSql = `UPDATE paid_inference.payment SET is_owed = false, ${forgottenRequest}
  WHERE is_owed AND settled_at < $1 AND ${charged} AND lease_until <= $2 RETURNING id, payer, amount`;

const columns = [...completionColumns, ['lease_until', 'bigint'] as [name: string, type: string]];
const [stamp, keyMark] = [`$${columns.length + 1}`, `$${columns.length + 2}`];

/**
 * Locks the payments in order, as `lock_payments` does, so that no deadlock occurs with their settlement.
 * `updated_at` stays, because it is the time of a refusal. A completion is kept for a time from `settled_at`, so the
 * time of a late completion begins now.
 */
const completeSql = `WITH item AS (SELECT * FROM ${unnest(columns, 'c')}), locked AS (
    SELECT p.id FROM paid_inference.payment p JOIN item i ON i.id = p.id ORDER BY p.id FOR UPDATE OF p
  ), moved AS (
    UPDATE paid_inference.payment p SET completion = i.completion, proof = i.proof, is_owed = false,
      settled_at = CASE WHEN p.${charged} THEN ${stamp}::bigint ELSE p.settled_at END
    FROM item i JOIN locked l ON l.id = i.id
    WHERE p.id = i.id AND p.is_owed AND p.lease_until = i.lease_until AND ${isOwnKey(keyMark)}
    RETURNING p.id, p.lease_until, p.${charged} AS is_charged
  ), kept AS (
    INSERT INTO paid_inference.proof (payment_id, ${proofColumns}, due_at)
    SELECT id, ${proofColumns}, CASE WHEN is_charged THEN ${stamp}::bigint END
    FROM item JOIN moved USING (id, lease_until) WHERE proof_id IS NOT NULL
  ) SELECT id, lease_until FROM moved`;

type OwedItem = CompletionItem & { readonly leaseUntil: number };

export function owedOperations(ports: PostgresPorts): OwedStore<PaymentRecord> {
  const { connections, time, keyMark, read } = ports;
  const { run, group } = connections;
  const oweTogether = group((runGroup, ids: readonly number[]) => owe(ports, runGroup, ids));
  const completeTogether = group((runGroup, items: readonly OwedItem[]) => complete(ports, runGroup, items));
  return {
    async owe(id) {
      if (await oweTogether(id)) return;
      // The first attempt may have succeeded.
      const sql = 'SELECT 1 FROM paid_inference.payment WHERE id = $1 AND is_owed AND owed_runs = 0';
      if ((await run(sql, id)).rows.length === 0) throw new LeaseLost(refusal([id], storeTransitions.owe));
    },

    async completeOwed(id, leaseUntil, completion, proof) {
      const item = { id, leaseUntil: time.toServer(leaseUntil), completion, proof };
      const isAlone = completion.length > sharedLengthMax;
      if (isAlone ? (await complete(ports, run, [item]))[0] : await completeTogether(item)) return;
      // The first attempt may have succeeded.
      const { rows } = await run('SELECT * FROM paid_inference.payment WHERE id = $1', id);
      if (rows[0] === undefined || read(rows[0]).completion !== completion)
        throw new LeaseLost(describeNotOwed(id));
    },

    async takeOwed(id, leaseUntil, now) {
      const times = [time.toServer(leaseUntil), time.toServer(now)];
      const { rows } = await run(takeSql, id, ...times, keyMark);
      return rows[0] === undefined ? null : read(rows[0]);
    },

    async endOwedRun(id, leaseUntil, restSeconds = 0) {
      await run(
        `UPDATE paid_inference.payment SET lease_until = $4
         WHERE id = $2 AND is_owed AND lease_until = $3 AND lease_until > $1`,
        time.stamp(),
        id,
        time.toServer(leaseUntil),
        time.stamp() + restSeconds,
      );
    },

    async dropOwedBefore(settledBefore) {
      const { rows } = await run(dropSql, time.toServer(settledBefore), time.stamp());
      return rows.map(toDroppedOwed);
    },

    async owedTotals() {
      const { rows } = await run(
        `SELECT count(*) AS payments, coalesce(sum(amount), 0) AS amount FROM paid_inference.payment
         WHERE is_owed AND ${charged}`,
      );
      return toPaymentSum(rows[0]);
    },
  };
}

/** Returns for each id whether its payment is owed now. */
async function owe(
  { time, keyMark }: PostgresPorts,
  run: Connections['run'],
  ids: readonly number[],
): Promise<readonly boolean[]> {
  const { rows } = await run(oweSql, ids, time.stamp(), keyMark);
  const owed = new Set(rows.map(({ id }) => Number(id)));
  return ids.map((id) => owed.has(id));
}

/** Returns for each item whether its completion was written. */
async function complete(
  { cipher, time, keyMark }: PostgresPorts,
  run: Connections['run'],
  items: readonly OwedItem[],
): Promise<readonly boolean[]> {
  const arrays = toArrays(items.map((item) => [...listValues(cipher, item), item.leaseUntil]));
  const { rows } = await run(completeSql, ...arrays, time.stamp(), keyMark);
  const name = (id: unknown, leaseUntil: unknown) => `${id} ${leaseUntil}`;
  const written = new Set(rows.map((row) => name(row['id'], row['lease_until'])));
  return items.map(({ id, leaseUntil }) => written.has(name(id, leaseUntil)));
}
