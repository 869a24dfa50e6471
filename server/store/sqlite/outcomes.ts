import {
  type PaymentState,
  pendingStates,
  retriesMax,
  transientFailure,
} from '../../types/payment-states.ts';
import type { Bytes32 } from '../../types/units.ts';
import { changesMax } from '../bulk.ts';
import { forgotten, type Row, toInclusion } from '../rows.ts';
import type { PaymentRecord } from '../store.ts';
import { listed, refusal, storeTransitions, type Transition } from '../transitions.ts';
import {
  applyReading,
  forgiveDebt,
  holdBack,
  type Posting,
  recordDebt,
  releaseHold,
  returnToBalance,
  takeFromBalance,
} from './accounts.ts';
import type { ReadPayment, SyncStore, SyncStorePorts } from './operations.ts';
import { dropUnpaid, setDue } from './proof-life.ts';

const pending: readonly PaymentState[] = pendingStates;

type TransitionOperation = 'settle' | 'fail' | 'expire' | 'retry';
type RefusedOperation = 'checkRefused' | 'closeRefused';
type FinalityOperation = 'recentInclusions' | 'inclusionsUpTo' | 'finalise' | 'reopen';

export function outcomeOperations(
  ports: SyncStorePorts,
  read: ReadPayment,
): Pick<SyncStore, TransitionOperation | RefusedOperation | FinalityOperation> {
  return {
    ...transitionOperations(ports, read),
    ...refusedOperations(ports, read),
    ...finalityOperations(ports, read),
  };
}

function transitionOperations(
  ports: SyncStorePorts,
  read: ReadPayment,
): Pick<SyncStore, TransitionOperation> {
  const { statements, health, stamp, balanceAgeMaxSeconds } = ports;
  const { one } = statements;
  return {
    settle(ids, { txHash, block, blockHash }) {
      for (const id of ids) {
        const before = one('SELECT state, debt_until FROM payment WHERE id = ?', id);
        const row = one(
          `UPDATE payment SET state = 'settled', failure = NULL, tx_hash = ?1, block_number = ?2, block_hash = ?3,
             settled_at = ?4, updated_at = ?4, debt_until = NULL, checked_at = NULL
           WHERE id = ?5 AND state IN (${listed(storeTransitions.settle.from)}) RETURNING asset, payer, amount`,
          txHash,
          block,
          blockHash,
          stamp(),
          id,
        );
        if (before === undefined || row === undefined)
          throw new Error(refusal([id], storeTransitions.settle));
        const posting = toPosting(row);
        if (pending.includes(before['state'] as PaymentState)) releaseHold(statements, posting);
        if (before['debt_until'] !== null) forgiveDebt(statements, posting);
        takeFromBalance(statements, posting, block);
        setDue(statements, id, stamp());
      }
    },

    fail(id, failure, debt) {
      const debtUntil = debt?.blockedUntil ?? null;
      const posting = withhold(ports, id, storeTransitions.fail, failure, debtUntil);
      if (debtUntil !== null) recordDebt(statements, posting, debtUntil);
    },
    expire(id) {
      withhold(ports, id, storeTransitions.expire, null, null);
    },

    retry(id, reading, now) {
      health.assertLinked();
      const failed = one(
        `SELECT asset, payer, amount, debt_until FROM payment WHERE id = ? AND state IN (${listed(storeTransitions.retry.from)})
           AND failure = ? AND retries < ? AND completion IS NOT NULL`,
        id,
        transientFailure,
        retriesMax,
      );
      if (failed === undefined) return null;
      const posting = toPosting(failed);
      const { free } = applyReading(statements, posting, reading, now - balanceAgeMaxSeconds);
      if (free === null || free < posting.amount) return null;
      const row = one(
        `UPDATE payment SET state = 'executed', failure = NULL, tx_hash = NULL, relayer = NULL, relayer_nonce = NULL,
           debt_until = NULL, checked_at = NULL, retries = retries + 1, updated_at = ?
         WHERE id = ? RETURNING *`,
        stamp(),
        id,
      );
      if (row === undefined) throw new Error(`payment ${id} disappeared inside a transaction`);
      holdBack(statements, posting);
      if (failed['debt_until'] !== null) forgiveDebt(statements, posting);
      return read(row);
    },
  };
}

/** Failed and expired payments. The chain may still accept their authorizations. */
function refusedOperations(
  { statements, stamp }: SyncStorePorts,
  read: ReadPayment,
): Pick<SyncStore, RefusedOperation> {
  const { run, all } = statements;
  return {
    checkRefused: (max, checkedBefore) =>
      all(
        `UPDATE payment SET checked_at = ? WHERE id IN
           (SELECT id FROM payment WHERE checked_at < ? ORDER BY checked_at, id LIMIT ?) RETURNING *`,
        stamp(),
        checkedBefore,
        max,
      ).map(read),

    closeRefused(ids) {
      for (const id of ids) {
        const closed = run(
          `UPDATE payment SET ${forgotten}, is_owed = 0, checked_at = NULL WHERE id = ? AND checked_at IS NOT NULL`,
          id,
        );
        if (closed === 0) continue;
        run('DELETE FROM payment_transaction WHERE payment_id = ?', id);
        dropUnpaid(statements, id);
      }
    },
  };
}

function finalityOperations(ports: SyncStorePorts, read: ReadPayment): Pick<SyncStore, FinalityOperation> {
  const {
    statements: { run, all },
    stamp,
  } = ports;
  return {
    recentInclusions: (from, max) =>
      all(
        `SELECT DISTINCT tx_hash, block_number, block_hash FROM payment
         WHERE state = 'settled' AND block_number >= ? ORDER BY block_number DESC, tx_hash LIMIT ?`,
        from,
        max,
      ).map(toInclusion),
    inclusionsUpTo: (block, max) =>
      all(
        `SELECT DISTINCT tx_hash, block_number, block_hash FROM payment
         WHERE state = 'settled' AND block_number <= ? ORDER BY block_number, tx_hash LIMIT ?`,
        block,
        max,
      ).map(toInclusion),

    finalise(block) {
      const due = `SELECT id FROM payment WHERE state = 'settled' AND block_number <= ?
        ORDER BY block_number, id LIMIT ${changesMax}`;
      run(`DELETE FROM payment_transaction WHERE payment_id IN (${due})`, block);
      return run(`UPDATE payment SET state = 'final', updated_at = ? WHERE id IN (${due})`, stamp(), block);
    },

    reopen: (txHash) => reopen(ports, read, txHash),
  };
}

function withhold(
  { statements, stamp }: SyncStorePorts,
  id: number,
  transition: Transition,
  failure: string | null,
  debtUntil: number | null,
): Posting {
  const { one } = statements;
  const before = one('SELECT state, block_number FROM payment WHERE id = ?', id);
  const row = one(
    `UPDATE payment SET state = ?1, failure = ?2, debt_until = ?3, checked_at = ?4, updated_at = ?4
     WHERE id = ?5 AND state IN (${listed(transition.from)}) RETURNING asset, payer, amount`,
    transition.to,
    failure,
    debtUntil,
    stamp(),
    id,
  );
  if (before === undefined || row === undefined) throw new Error(refusal([id], transition));
  const posting = toPosting(row);
  if ((before['state'] as PaymentState) === 'settled') {
    returnToBalance(statements, posting, Number(before['block_number']));
    setDue(statements, id, null);
  } else {
    releaseHold(statements, posting);
  }
  return posting;
}

function reopen(
  { statements, stamp }: SyncStorePorts,
  read: ReadPayment,
  txHash: Bytes32,
): readonly PaymentRecord[] {
  const { run, one, all } = statements;
  const journaled = one('SELECT relayer, relayer_nonce FROM chain_tx WHERE hash = ?', txHash);
  const gone = all(
    `SELECT id, asset, payer, amount, block_number FROM payment WHERE state = 'settled' AND tx_hash = ? ORDER BY id`,
    txHash,
  );
  if (journaled !== undefined) {
    run(
      'UPDATE chain_tx SET is_open = 1 WHERE relayer = ? AND relayer_nonce = ?',
      journaled['relayer'] as string,
      journaled['relayer_nonce'] as bigint,
    );
  }
  return gone.map((before) => {
    // The gateway cannot resend a third party's transaction, so any relayer may claim the payments that it
    // settled.
    const row = one(
      `UPDATE payment SET state = ?1, tx_hash = ?2, relayer = ?3, relayer_nonce = ?4, block_number = NULL,
         block_hash = NULL, updated_at = ?5
       WHERE id = ?6 AND state = 'settled' RETURNING *`,
      journaled === undefined ? storeTransitions.requeue.to : storeTransitions.reopen.to,
      journaled === undefined ? null : txHash,
      (journaled?.['relayer'] ?? null) as string | null,
      (journaled?.['relayer_nonce'] ?? null) as bigint | null,
      stamp(),
      before['id'] as bigint,
    );
    if (row === undefined) throw new Error(refusal([Number(before['id'])], storeTransitions.reopen));
    holdBack(statements, toPosting(before));
    returnToBalance(statements, toPosting(before), Number(before['block_number']));
    setDue(statements, before['id'] as bigint, null);
    return read(row);
  });
}

/** Reads the account and the amount of a payment. */
export function toPosting(row: Row): Posting {
  return {
    asset: row['asset'] as string,
    payer: row['payer'] as string,
    amount: row['amount'] as bigint,
  };
}
