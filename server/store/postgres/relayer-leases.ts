import type { Address } from '../../types/units.ts';
import { groupByNonce, notHandedOver } from '../lease-rules.ts';
import { handedOver, toSentRecord, toTransaction } from '../rows.ts';
import type { Store } from '../store.ts';
import { storeTransitions } from '../transitions.ts';
import { describeConditions } from './describe-conditions.ts';
import { versioned } from './functions.ts';
import type { PostgresPorts } from './ports.ts';

type HolderOperation = 'leaseRelayer' | 'endLease';
type ClaimOperation = 'claimExecuted' | 'submit' | 'requeue';
type JournalOperation =
  | 'closeNonce'
  | 'abandonNonce'
  | 'openNonces'
  | 'submittedRelayers'
  | 'nextRelayerNonce'
  | 'pruneJournal'
  | 'recordHandover'
  | 'recordSent'
  | 'findSent';

export function leaseOperations(
  ports: PostgresPorts,
): Pick<Store, HolderOperation | ClaimOperation | JournalOperation> {
  return { ...holderOperations(ports), ...claimOperations(ports), ...journalOperations(ports) };
}

/** The lease of a relayer, and the process that holds it. */
function holderOperations({ connections: { run }, time }: PostgresPorts): Pick<Store, HolderOperation> {
  return {
    async leaseRelayer(relayer, owner, until, now) {
      const { rows } = await run(
        `SELECT ${versioned('lease_relayer')}($1, $2, $3, $4, $5) AS fence`,
        relayer,
        owner,
        time.toServer(until),
        time.toServer(now),
        time.stamp(),
      );
      const fence = rows[0]?.['fence'];
      return fence === null ? null : { relayer, fence: Number(fence) };
    },

    async endLease({ relayer, fence }) {
      await run(`SELECT ${versioned('end_lease')}($1, $2, $3)`, relayer, fence, time.stamp());
    },
  };
}

function claimOperations({ connections: { run }, time, read }: PostgresPorts): Pick<Store, ClaimOperation> {
  return {
    async claimExecuted(lease, max, now, except = []) {
      const { relayer, fence } = lease;
      const sql = `SELECT * FROM ${versioned('claim_executed')}($1, $2, $3, $4, $5, $6) ORDER BY valid_before, id`;
      const { rows } = await describeConditions(
        { lease },
        run(sql, relayer, fence, max, now, except, time.stamp()),
      );
      return rows.map(read);
    },

    async submit(lease, ids, { hash, raw, relayer, relayerNonce }) {
      if (relayer !== lease.relayer)
        throw new Error(
          `transaction ${hash} belongs to another relayer (${relayer}) than the lease (${lease.relayer})`,
        );
      const parameters = [relayer, lease.fence, ids, hash, raw, relayerNonce, time.stamp()];
      const submitting = run(`SELECT ${versioned('submit')}($1, $2, $3, $4, $5, $6, $7)`, ...parameters);
      await describeConditions({ lease, ids, transition: storeTransitions.submit }, submitting);
    },

    async requeue(lease, ids) {
      const { relayer, fence } = lease;
      const requeueing = run(
        `SELECT ${versioned('requeue')}($1, $2, $3, $4)`,
        relayer,
        fence,
        ids,
        time.stamp(),
      );
      await describeConditions({ lease, ids, transition: storeTransitions.requeue }, requeueing);
    },
  };
}

/** The transactions of each relayer, and their payments. */
function journalOperations({
  connections: { run },
  time,
  read,
}: PostgresPorts): Pick<Store, JournalOperation> {
  return {
    async closeNonce(lease, relayerNonce) {
      const { relayer, fence } = lease;
      await describeConditions(
        { lease },
        run(`SELECT ${versioned('close_nonce')}($1, $2, $3)`, relayer, fence, relayerNonce),
      );
    },

    async abandonNonce(lease, relayerNonce) {
      const { relayer, fence } = lease;
      const sql = `SELECT ${versioned('abandon_nonce')}($1, $2, $3, $4)`;
      await describeConditions({ lease }, run(sql, relayer, fence, relayerNonce, time.stamp()));
    },

    async openNonces(relayer) {
      // One statement reads one moment. The join matches nothing: each row is a transaction or a payment.
      const { rows } = await run(
        `SELECT t.hash, t.raw, t.by_relayer, t.with_nonce, p.* FROM
           (SELECT id AS place, hash, raw, relayer AS by_relayer, relayer_nonce AS with_nonce
            FROM paid_inference.chain_tx WHERE relayer = $1 AND is_open) t
         FULL JOIN (SELECT * FROM paid_inference.payment WHERE state = 'submitted' AND relayer = $1) p ON false
         ORDER BY t.with_nonce, t.place DESC, p.id`,
        relayer,
      );
      const transactions = rows.filter((row) => row['hash'] !== null);
      const payments = rows.filter((row) => row['id'] !== null);
      return groupByNonce(
        transactions.map((row) =>
          toTransaction({ ...row, relayer: row['by_relayer'], relayer_nonce: row['with_nonce'] }),
        ),
        payments.map((row) => ({ relayerNonce: Number(row['relayer_nonce']), payment: read(row) })),
      );
    },

    async submittedRelayers() {
      const sql = "SELECT DISTINCT relayer FROM paid_inference.payment WHERE state = 'submitted'";
      return (await run(sql)).rows.map(({ relayer }) => relayer as Address);
    },

    async nextRelayerNonce(relayer) {
      const { rows } = await run(
        'SELECT coalesce(max(relayer_nonce) + 1, 0) AS next FROM paid_inference.chain_tx WHERE relayer = $1',
        relayer,
      );
      return Number(rows[0]?.['next']);
    },

    async pruneJournal(max) {
      const { changes } = await run(
        `DELETE FROM paid_inference.chain_tx WHERE id IN (
           SELECT t.id FROM paid_inference.chain_tx t
           WHERE NOT t.is_open
             AND t.relayer_nonce < (SELECT max(n.relayer_nonce) FROM paid_inference.chain_tx n
               WHERE n.relayer = t.relayer)
             AND NOT EXISTS (SELECT 1 FROM paid_inference.chain_tx s
               JOIN paid_inference.payment p ON p.tx_hash = s.hash AND p.state = 'settled'
               WHERE s.relayer = t.relayer AND s.relayer_nonce = t.relayer_nonce)
           ORDER BY t.relayer, t.relayer_nonce LIMIT $1 FOR UPDATE OF t SKIP LOCKED)`,
        max,
      );
      return changes;
    },

    async recordHandover(id, senders) {
      const { rows } = await run(
        `WITH executed AS (SELECT id FROM paid_inference.payment WHERE id = $1 AND state = 'executed' FOR SHARE),
         known AS (
           INSERT INTO paid_inference.facilitator_sender (address) SELECT unnest($3::text[]) FROM executed
           ON CONFLICT DO NOTHING),
         handed_over AS (
           INSERT INTO paid_inference.payment_transaction (payment_id, tx_hash) SELECT id, $2 FROM executed
           ON CONFLICT DO NOTHING)
         SELECT id FROM executed`,
        id,
        handedOver,
        senders,
      );
      if (rows.length === 0) throw new Error(notHandedOver(id));
    },

    async recordSent(id, txHash) {
      await run(
        `INSERT INTO paid_inference.payment_transaction (payment_id, tx_hash) VALUES ($1, $2)
         ON CONFLICT DO NOTHING`,
        id,
        txHash,
      );
    },

    async findSent(id) {
      const sql = 'SELECT tx_hash FROM paid_inference.payment_transaction WHERE payment_id = $1';
      const [sent, senders, payment] = await Promise.all([
        run(sql, id),
        run('SELECT address FROM paid_inference.facilitator_sender'),
        run('SELECT settled_at FROM paid_inference.payment WHERE id = $1', id),
      ]);
      return toSentRecord(sent.rows, senders.rows, payment.rows[0]);
    },
  };
}
