import type { PaymentState } from '../../payment/life.ts';
import type { Bytes32 } from '../../vocabulary/units.ts';
import { type Move, moves } from '../moves.ts';
import { wholeNumber } from '../rows.ts';
import type { Store } from '../store.ts';
import type { PostgresPorts } from './postgres-store.ts';
import { saying } from './said.ts';

type OutcomeOperations = Pick<
  Store,
  | 'settle'
  | 'fail'
  | 'expire'
  | 'settledInclusions'
  | 'finalise'
  | 'reopen'
  | 'dropAnswer'
  | 'dropAnswersBefore'
  | 'totals'
>;

export function outcomeOperations({ connections: { run }, stamp, read }: PostgresPorts): OutcomeOperations {
  return {
    async settle(ids, { txHash, block, blockHash }) {
      const settling = run(
        'SELECT paid_inference.settle($1, $2, $3, $4, $5)',
        ids,
        txHash,
        block,
        blockHash,
        stamp(),
      );
      await saying({ ids, move: moves.settle }, settling);
    },
    fail: (id, failure, debt) => withhold(id, moves.fail, failure, debt?.blockedUntil ?? null),
    expire: (id) => withhold(id, moves.expire, null, null),

    async settledInclusions(max) {
      const { rows } = await run(
        `SELECT DISTINCT tx_hash, block_number, block_hash FROM paid_inference.payment WHERE state = 'settled'
         ORDER BY block_number, tx_hash LIMIT $1`,
        max,
      );
      return rows.map((row) => ({
        txHash: row['tx_hash'] as Bytes32,
        block: Number(row['block_number']),
        blockHash: row['block_hash'] as Bytes32,
      }));
    },

    async finalise(block) {
      const { changes } = await run(
        `UPDATE paid_inference.payment SET state = 'final', updated_at = $2
         WHERE state = 'settled' AND block_number <= $1`,
        block,
        stamp(),
      );
      return changes;
    },

    async reopen(txHash) {
      const { rows } = await run('SELECT * FROM paid_inference.reopen($1, $2) ORDER BY id', txHash, stamp());
      return rows.map(read);
    },

    async dropAnswer(id) {
      await run(
        'UPDATE paid_inference.payment SET answer = NULL WHERE id = $1 AND settled_at IS NOT NULL',
        id,
      );
    },

    // One that a reorganisation took back may be owed again: it is kept until it settles anew.
    async dropAnswersBefore(settledBefore) {
      const { changes } = await run(
        `UPDATE paid_inference.payment SET answer = NULL
         WHERE answer IS NOT NULL AND settled_at IS NOT NULL AND settled_at < $1 AND state IN ('settled', 'final')`,
        settledBefore,
      );
      return changes;
    },

    async totals() {
      const { rows } = await run(
        'SELECT state, count(*) AS payments, sum(amount) AS amount FROM paid_inference.payment GROUP BY state',
      );
      return new Map(
        rows.map(({ state, payments, amount }) => [
          state as PaymentState,
          { payments: Number(payments), amount: wholeNumber(amount) },
        ]),
      );
    },
  };

  async function withhold(
    id: number,
    move: Move,
    failure: string | null,
    until: number | null,
  ): Promise<void> {
    const parameters = [id, move.to, move.from, failure, until, stamp()];
    const withholding = run('SELECT paid_inference.withhold($1, $2, $3, $4, $5, $6)', ...parameters);
    await saying({ ids: [id], move }, withholding);
  }
}
