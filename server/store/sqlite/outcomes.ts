import type { PaymentState } from '../../payment/life.ts';
import type { Bytes32 } from '../../vocabulary/units.ts';
import { listed, type Move, moves, refusal } from '../moves.ts';
import type { Row } from '../rows.ts';
import type { Inclusion, PaymentRecord } from '../store.ts';
import {
  giveBack,
  holdBack,
  type Posting,
  recordDebt,
  returnToBalance,
  takeFromBalance,
} from './accounts.ts';
import type { Ledger, LedgerPorts, ReadPayment } from './ledger.ts';

export function outcomeOperations(
  { statements, stamp }: LedgerPorts,
  read: ReadPayment,
): Pick<Ledger, 'settle' | 'fail' | 'expire' | 'settledInclusions' | 'finalise' | 'reopen'> {
  const { run, one, all } = statements;
  return {
    settle(ids, { txHash, block, blockHash }) {
      for (const id of ids) {
        const row = one(
          `UPDATE payment SET state = 'settled', tx_hash = ?1, block_number = ?2, block_hash = ?3, settled_at = ?4,
             updated_at = ?4
           WHERE id = ?5 AND state IN (${listed(moves.settle.from)}) RETURNING asset, payer, amount`,
          txHash,
          block,
          blockHash,
          stamp(),
          id,
        );
        if (row === undefined) throw new Error(refusal([id], moves.settle));
        giveBack(statements, postingOf(row));
        takeFromBalance(statements, postingOf(row), block);
      }
    },

    fail(id, failure, debt) {
      const posting = withhold(id, moves.fail, failure);
      if (debt !== null) recordDebt(statements, posting, debt.blockedUntil);
    },
    expire(id) {
      withhold(id, moves.expire, null);
    },

    settledInclusions: (max) =>
      all(
        `SELECT DISTINCT tx_hash, block_number, block_hash FROM payment WHERE state = 'settled'
         ORDER BY block_number, tx_hash LIMIT ?`,
        max,
      ).map(inclusionOf),

    finalise: (block) =>
      run(
        `UPDATE payment SET state = 'final', updated_at = ? WHERE state = 'settled' AND block_number <= ?`,
        stamp(),
        block,
      ),

    reopen,
  };

  function withhold(id: number, move: Move, failure: string | null): Posting {
    const before = one('SELECT state, block_number FROM payment WHERE id = ?', id);
    const row = one(
      `UPDATE payment SET state = ?, failure = ?, answer = NULL, updated_at = ?
       WHERE id = ? AND state IN (${listed(move.from)}) RETURNING asset, payer, amount`,
      move.to,
      failure,
      stamp(),
      id,
    );
    if (before === undefined || row === undefined) throw new Error(refusal([id], move));
    const posting = postingOf(row);
    if ((before['state'] as PaymentState) === 'settled') {
      returnToBalance(statements, posting, Number(before['block_number']));
    } else {
      giveBack(statements, posting);
    }
    return posting;
  }

  function reopen(txHash: Bytes32): readonly PaymentRecord[] {
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
      // A transaction of somebody else cannot be sent again: what it settled is free for any lane.
      const row = one(
        `UPDATE payment SET state = ?1, tx_hash = ?2, lane = ?3, relayer_nonce = ?4, block_number = NULL,
           block_hash = NULL, updated_at = ?5
         WHERE id = ?6 AND state = 'settled' RETURNING *`,
        journaled === undefined ? moves.requeue.to : moves.reopen.to,
        journaled === undefined ? null : txHash,
        (journaled?.['relayer'] ?? null) as string | null,
        (journaled?.['relayer_nonce'] ?? null) as bigint | null,
        stamp(),
        before['id'] as bigint,
      );
      if (row === undefined) throw new Error(refusal([Number(before['id'])], moves.reopen));
      holdBack(statements, postingOf(before));
      returnToBalance(statements, postingOf(before), Number(before['block_number']));
      return read(row);
    });
  }
}

/** What a payment moves in its payer's account. */
export function postingOf(row: Row): Posting {
  return {
    asset: row['asset'] as string,
    payer: row['payer'] as string,
    amount: row['amount'] as bigint,
  };
}

function inclusionOf(row: Row): Inclusion {
  return {
    txHash: row['tx_hash'] as Bytes32,
    block: Number(row['block_number']),
    blockHash: row['block_hash'] as Bytes32,
  };
}
