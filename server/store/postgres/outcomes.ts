import {
  type PaymentState,
  pendingStates,
  retriesMax,
  transientFailure,
  undecidedFailure,
} from '../../types/payment-states.ts';
import { changesMax, refusedBytesMin } from '../bulk.ts';
import type { CompletionStore } from '../completion-store.ts';
import {
  forgotten,
  toInclusion,
  toOpenTotals,
  toPaymentSum,
  toSettlementQueue,
  toUnsettled,
} from '../rows.ts';
import type { Store } from '../store.ts';
import { openTotalsSql, settlementQueueSql, type TotalsStore, unsettledSql } from '../totals.ts';
import { storeTransitions, type Transition } from '../transitions.ts';
import { describeConditions } from './describe-conditions.ts';
import { versioned } from './functions.ts';
import type { PostgresPorts } from './ports.ts';

const sumOpen = openTotalsSql('paid_inference.payment');
const countUnsettled = unsettledSql('paid_inference.payment');
const isRefusedAndKept = 'completion IS NOT NULL AND checked_at IS NOT NULL AND failure IS DISTINCT FROM $1';
const refusedBytes = `greatest(octet_length(completion), ${refusedBytesMin})`;
const readQueue = settlementQueueSql('paid_inference.', '$1');

type OutcomeOperations = Pick<
  Store,
  | 'settle'
  | 'fail'
  | 'expire'
  | 'retry'
  | 'checkRefused'
  | 'closeRefused'
  | 'recentInclusions'
  | 'inclusionsUpTo'
  | 'finalise'
  | 'reopen'
  | keyof CompletionStore
  | keyof TotalsStore
>;

export function outcomeOperations(ports: PostgresPorts): OutcomeOperations {
  return {
    ...transitionOperations(ports),
    ...refusedOperations(ports),
    ...finalityOperations(ports),
    ...completionOperations(ports),
  };
}

function transitionOperations(ports: PostgresPorts): Pick<Store, 'settle' | 'fail' | 'expire' | 'retry'> {
  const {
    connections: { run },
    time,
    balanceAgeMaxSeconds,
    read,
  } = ports;
  return {
    async settle(ids, { txHash, block, blockHash }) {
      const settling = run(
        `SELECT ${versioned('settle')}($1, $2, $3, $4, $5, $6, $7)`,
        ids,
        storeTransitions.settle.from,
        pendingStates,
        txHash,
        block,
        blockHash,
        time.stamp(),
      );
      await describeConditions({ ids, transition: storeTransitions.settle }, settling);
    },
    fail: (id, failure, debt) =>
      withhold(ports, id, storeTransitions.fail, failure, debt?.blockedUntil ?? null),
    expire: (id) => withhold(ports, id, storeTransitions.expire, null, null),

    async retry(id, { balance, block, readAt }, now) {
      const { rows } = await run(
        `SELECT * FROM ${versioned('retry')}($1, $2, $3, $4, $5, $6, $7, $8, $9)`,
        id,
        storeTransitions.retry.from,
        transientFailure,
        retriesMax,
        balance,
        block,
        time.toServer(readAt),
        time.toServer(now) - balanceAgeMaxSeconds,
        time.stamp(),
      );
      return rows[0] === undefined ? null : read(rows[0]);
    },
  };
}

/** Failed and expired payments. The chain may still accept their authorizations. */
function refusedOperations({
  connections: { run },
  time,
  read,
}: PostgresPorts): Pick<Store, 'checkRefused' | 'closeRefused'> {
  return {
    async checkRefused(max, checkedBefore) {
      const { rows } = await run(
        `UPDATE paid_inference.payment SET checked_at = $1 WHERE id IN
           (SELECT id FROM paid_inference.payment WHERE checked_at < $2 ORDER BY checked_at, id LIMIT $3
            FOR UPDATE SKIP LOCKED) RETURNING *`,
        time.stamp(),
        time.toServer(checkedBefore),
        max,
      );
      return rows.map(read);
    },

    async closeRefused(ids) {
      await run(`SELECT ${versioned('close_refused')}($1)`, ids);
    },
  };
}

function finalityOperations({
  connections: { run },
  time,
  read,
}: PostgresPorts): Pick<Store, 'recentInclusions' | 'inclusionsUpTo' | 'finalise' | 'reopen'> {
  return {
    async recentInclusions(from, max) {
      const { rows } = await run(
        `SELECT DISTINCT tx_hash, block_number, block_hash FROM paid_inference.payment
         WHERE state = 'settled' AND block_number >= $1 ORDER BY block_number DESC, tx_hash LIMIT $2`,
        from,
        max,
      );
      return rows.map(toInclusion);
    },

    async inclusionsUpTo(block, max) {
      const { rows } = await run(
        `SELECT DISTINCT tx_hash, block_number, block_hash FROM paid_inference.payment
         WHERE state = 'settled' AND block_number <= $1 ORDER BY block_number, tx_hash LIMIT $2`,
        block,
        max,
      );
      return rows.map(toInclusion);
    },

    async finalise(block) {
      const { rows } = await run(
        `WITH finalised AS (
           UPDATE paid_inference.payment SET state = 'final', updated_at = $2
           WHERE id = ANY (ARRAY(
             SELECT id FROM paid_inference.payment WHERE state = 'settled' AND block_number <= $1
             ORDER BY block_number, id LIMIT ${changesMax} FOR UPDATE SKIP LOCKED)) RETURNING id
         ), forgotten AS (
           DELETE FROM paid_inference.payment_transaction t USING finalised f WHERE t.payment_id = f.id
         ) SELECT count(*) AS finalised FROM finalised`,
        block,
        time.stamp(),
      );
      return Number(rows[0]?.['finalised']);
    },

    async reopen(txHash) {
      const { rows } = await run(
        `SELECT * FROM ${versioned('reopen')}($1, $2) ORDER BY id`,
        txHash,
        time.stamp(),
      );
      return rows.map(read);
    },
  };
}

function completionOperations({ connections: { run }, time }: PostgresPorts): CompletionStore & TotalsStore {
  return {
    async dropCompletion(id) {
      await run(
        `UPDATE paid_inference.payment SET ${forgotten} WHERE id = $1 AND settled_at IS NOT NULL AND NOT is_owed`,
        id,
      );
    },

    // After a reorganisation a payment may owe its completion again, so the store keeps it until the payment
    // settles anew.
    async dropCompletionsBefore(settledBefore) {
      const { changes } = await run(
        `UPDATE paid_inference.payment SET ${forgotten} WHERE id = ANY (ARRAY(
           SELECT id FROM paid_inference.payment
           WHERE completion IS NOT NULL AND settled_at IS NOT NULL AND settled_at < $1 AND state IN ('settled', 'final')
           ORDER BY settled_at LIMIT ${changesMax} FOR UPDATE SKIP LOCKED))`,
        time.toServer(settledBefore),
      );
      return changes;
    },

    // The row of a refused payment does not change until it is closed, so `updated_at` is the time of the
    // refusal. An undecided payment was not refused (D-234).
    async dropRefusedCompletionsBefore(refusedBefore) {
      const { changes } = await run(
        `UPDATE paid_inference.payment SET ${forgotten} WHERE id = ANY (ARRAY(
           SELECT id FROM paid_inference.payment
           WHERE completion IS NOT NULL AND checked_at IS NOT NULL AND updated_at < $1 AND failure IS DISTINCT FROM $2
           LIMIT ${changesMax} FOR UPDATE SKIP LOCKED))`,
        time.toServer(refusedBefore),
        undecidedFailure,
      );
      return changes;
    },

    async refusedCompletionBytes() {
      const sql = `SELECT coalesce(sum(${refusedBytes}), 0) AS bytes FROM paid_inference.payment WHERE ${isRefusedAndKept}`;
      return Number((await run(sql, undecidedFailure)).rows[0]?.['bytes']);
    },

    async dropOldestRefusedCompletions(bytes) {
      const { rows } = await run(
        `WITH oldest AS (
           SELECT id, updated_at, ${refusedBytes} AS bytes FROM paid_inference.payment WHERE ${isRefusedAndKept}
           ORDER BY updated_at, id LIMIT ${changesMax} FOR UPDATE SKIP LOCKED),
         chosen AS (
           SELECT id, bytes FROM (
             SELECT id, bytes, sum(bytes) OVER (ORDER BY updated_at, id) - bytes AS before FROM oldest) o
           WHERE before < $2),
         dropped AS (UPDATE paid_inference.payment SET ${forgotten} WHERE id IN (SELECT id FROM chosen))
         SELECT coalesce(sum(bytes), 0) AS bytes FROM chosen`,
        undecidedFailure,
        bytes,
      );
      return Number(rows[0]?.['bytes']);
    },

    async totals() {
      const { rows } = await run(
        'SELECT state, count(*) AS payments, sum(amount) AS amount FROM paid_inference.payment GROUP BY state',
      );
      return new Map(rows.map((row) => [row['state'] as PaymentState, toPaymentSum(row)]));
    },

    async openTotals() {
      const { rows } = await run(sumOpen);
      return toOpenTotals(rows, time.fromServer);
    },

    async unsettled() {
      return toUnsettled((await run(countUnsettled)).rows);
    },

    async settlementQueue(settledSince) {
      const [unsent, settled] = await Promise.all([
        run(readQueue.unsent),
        run(readQueue.settled, time.toServer(settledSince)),
      ]);
      return toSettlementQueue(unsent.rows, settled.rows[0], time.fromServer);
    },
  };
}

async function withhold(
  { connections: { run }, time }: PostgresPorts,
  id: number,
  transition: Transition,
  failure: string | null,
  until: number | null,
): Promise<void> {
  const serverUntil = until === null ? null : time.toServer(until);
  const parameters = [id, transition.to, transition.from, failure, serverUntil, time.stamp()];
  const withholding = run(`SELECT ${versioned('withhold')}($1, $2, $3, $4, $5, $6)`, ...parameters);
  await describeConditions({ ids: [id], transition }, withholding);
}
