import { groupByNonce } from '../lane-rules.ts';
import { moves } from '../moves.ts';
import { transactionOf } from '../rows.ts';
import type { Store } from '../store.ts';
import type { PostgresPorts } from './postgres-store.ts';
import { saying } from './said.ts';

type LaneOperations = Pick<
  Store,
  | 'leaseLane'
  | 'endLease'
  | 'claimExecuted'
  | 'submit'
  | 'requeue'
  | 'closeNonce'
  | 'openNonces'
  | 'nextRelayerNonce'
>;

export function laneOperations({
  connections: { run, atOneMoment },
  stamp,
  read,
}: PostgresPorts): LaneOperations {
  return {
    async leaseLane(relayer, owner, until, now) {
      const { rows } = await run(
        'SELECT paid_inference.lease_lane($1, $2, $3, $4, $5) AS fence',
        relayer,
        owner,
        until,
        now,
        stamp(),
      );
      const fence = rows[0]?.['fence'];
      return fence === null ? null : { relayer, fence: Number(fence) };
    },

    async endLease({ relayer, fence }) {
      await run('SELECT paid_inference.end_lease($1, $2, $3)', relayer, fence, stamp());
    },

    async claimExecuted(lease, max, now) {
      const { relayer, fence } = lease;
      const sql = 'SELECT * FROM paid_inference.claim_executed($1, $2, $3, $4, $5) ORDER BY valid_before, id';
      const { rows } = await saying({ lease }, run(sql, relayer, fence, max, now, stamp()));
      return rows.map(read);
    },

    async submit(lease, ids, { hash, raw, relayer, relayerNonce }) {
      if (relayer !== lease.relayer)
        throw new Error(`transaction ${hash} is of another relayer than the lane`);
      const parameters = [relayer, lease.fence, ids, hash, raw, relayerNonce, stamp()];
      const submitting = run('SELECT paid_inference.submit($1, $2, $3, $4, $5, $6, $7)', ...parameters);
      await saying({ lease, ids, move: moves.submit }, submitting);
    },

    async requeue(lease, ids) {
      const { relayer, fence } = lease;
      const requeueing = run('SELECT paid_inference.requeue($1, $2, $3, $4)', relayer, fence, ids, stamp());
      await saying({ lease, ids, move: moves.requeue }, requeueing);
    },

    async closeNonce(lease, relayerNonce) {
      const { relayer, fence } = lease;
      await saying(
        { lease },
        run('SELECT paid_inference.close_nonce($1, $2, $3)', relayer, fence, relayerNonce),
      );
    },

    async openNonces(relayer) {
      const [transactions, payments] = await atOneMoment([
        {
          text: `SELECT * FROM paid_inference.chain_tx WHERE relayer = $1 AND is_open
                 ORDER BY relayer_nonce, id DESC`,
          values: [relayer],
        },
        {
          text: "SELECT * FROM paid_inference.payment WHERE state = 'submitted' AND lane = $1 ORDER BY id",
          values: [relayer],
        },
      ]);
      return groupByNonce(
        (transactions?.rows ?? []).map(transactionOf),
        (payments?.rows ?? []).map((row) => ({
          relayerNonce: Number(row['relayer_nonce']),
          payment: read(row),
        })),
      );
    },

    async nextRelayerNonce(relayer) {
      const { rows } = await run(
        'SELECT coalesce(max(relayer_nonce) + 1, 0) AS next FROM paid_inference.chain_tx WHERE relayer = $1',
        relayer,
      );
      return Number(rows[0]?.['next']);
    },
  };
}
