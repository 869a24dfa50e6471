import { refusedStates } from '../../types/payment-states.ts';
import type { Address, Bytes32 } from '../../types/units.ts';
import {
  proofColumns,
  toBatches,
  toParkedProofs,
  toProofEntry,
  toSignedProof,
  toSigner,
  toWaitingElsewhere,
} from '../proof-rows.ts';
import { dueTurnsMin, type ProofEntry, type ProofStore, type SignerRecord } from '../proof-store.ts';
import { toInclusion } from '../rows.ts';
import { describeConditions } from './describe-conditions.ts';
import { versioned } from './functions.ts';
import type { PostgresPorts } from './ports.ts';

/**
 * Excludes a batch while the payment of one of its members is settled no longer: a batch is returned whole or
 * not at all.
 */
const openBatchIds = `SELECT b.id FROM paid_inference.proof_batch b WHERE b.ledger = $1 AND b.tx_hash IS NULL
  AND NOT EXISTS (SELECT 1 FROM paid_inference.proof p WHERE p.batch_id = b.id AND p.due_at IS NULL)`;

/** A proof whose key signs for the proof ledger $1. */
const isOfLedger =
  'EXISTS (SELECT 1 FROM paid_inference.enclave_key k WHERE k.address = signer AND k.ledger = $1)';
/** A proof in `individual` mode and in the queue. */
const isDue = `settlement_type = 'individual' AND due_at IS NOT NULL AND tx_hash IS NULL AND checked_at IS NULL`;
const isParked = 'checked_at IS NOT NULL AND due_at IS NOT NULL';
const dueFrom = (order: 'ASC' | 'DESC') =>
  `(SELECT id, payment_id, due_at FROM paid_inference.proof WHERE ${isOfLedger} AND ${isDue}
    ORDER BY due_at ${order}, id ${order} LIMIT $2)`;
/** The oldest and the newest due proofs, each with its number among those of its payer. */
const dueTurns = `SELECT id, row_number() OVER (
    PARTITION BY (SELECT payer FROM paid_inference.payment p WHERE p.id = payment_id) ORDER BY due_at, id) AS turn
  FROM (${dueFrom('ASC')} UNION ${dueFrom('DESC')}) ends`;
const isUnbatched = `settlement_type = 'batch' AND due_at IS NOT NULL AND batch_id IS NULL`;

/** Each part has its own partial index. */
const waitingElsewhere = [
  ...[isDue, isParked, isUnbatched].map(
    (waits) => `SELECT k.ledger FROM paid_inference.proof
      LEFT JOIN paid_inference.enclave_key k ON k.address = signer
      WHERE k.ledger IS DISTINCT FROM $1 AND due_at < $2 AND ${waits}`,
  ),
  `SELECT b.ledger FROM paid_inference.proof_batch b CROSS JOIN LATERAL (
     SELECT 1 FROM paid_inference.proof p WHERE p.batch_id = b.id AND p.due_at < $2 OFFSET 0) p
   WHERE b.ledger IS DISTINCT FROM $1 AND b.tx_hash IS NULL`,
].join(' UNION ALL ');

const inclusionColumns = 'tx_hash, block_number, block_hash';
/** Recorded, not final, and after a given place in the order. */
const isWatched = 'tx_hash IS NOT NULL AND NOT is_final AND (block_number, tx_hash) > ($2, $3)';

type RecordOperation =
  | 'recordIndividual'
  | 'recordBatch'
  | 'recordedInclusions'
  | 'finaliseRecorded'
  | 'reopenRecorded'
  | 'findProof';

export function proofOperations(ports: PostgresPorts): ProofStore {
  return {
    ...signerOperations(ports),
    ...queueOperations(ports),
    ...batchOperations(ports),
    ...recordOperations(ports),
  };
}

function signerOperations({
  connections: { run, group },
  time,
}: PostgresPorts): Pick<ProofStore, 'addSigner' | 'findSigner' | 'unregisteredSigners' | 'markRegistered'> {
  // Anyone may ask for keys, alone or with a proof (D-443).
  const findSigner = group<Address, SignerRecord | null>(async (runGroup, addresses) => {
    const sql = 'SELECT * FROM paid_inference.enclave_key WHERE address = ANY($1)';
    const signers = (await runGroup(sql, addresses)).rows.map(toSigner);
    const found = new Map(signers.map((signer) => [signer.address, signer]));
    return addresses.map((address) => found.get(address) ?? null);
  });
  return {
    async addSigner(address, attestation, ledger) {
      await run(
        `INSERT INTO paid_inference.enclave_key (address, attestation, ledger, added_at) VALUES ($1, $2, $3, $4)
         ON CONFLICT (address) DO NOTHING`,
        address,
        attestation,
        ledger,
        time.stamp(),
      );
    },
    findSigner,
    async unregisteredSigners(max, after) {
      const { rows } = await run(
        `SELECT * FROM paid_inference.enclave_key WHERE NOT is_registered
           AND id > coalesce((SELECT id FROM paid_inference.enclave_key WHERE address = $1), 0) ORDER BY id LIMIT $2`,
        after ?? null,
        max,
      );
      return rows.map(toSigner);
    },
    async markRegistered(address) {
      await run('UPDATE paid_inference.enclave_key SET is_registered = true WHERE address = $1', address);
    },
  };
}

type QueueOperation = 'backlog' | 'dueIndividual' | 'park' | 'readParked' | 'parked' | 'waitingElsewhere';

/** Due proofs, and parked proofs of `individual` mode. */
function queueOperations({ connections: { run }, time }: PostgresPorts): Pick<ProofStore, QueueOperation> {
  return {
    async backlog(ledger) {
      const { rows } = await run(
        `SELECT individual, batch, since FROM
           (SELECT count(*) AS individual FROM paid_inference.proof WHERE ${isOfLedger} AND ${isDue}) i,
           (SELECT count(*) AS batch, min(due_at) AS since FROM paid_inference.proof
            WHERE ${isOfLedger} AND ${isUnbatched}) b`,
        ledger,
      );
      const { individual, batch, since } = rows[0] ?? {};
      return {
        individual: Number(individual),
        batch: Number(batch),
        batchSince: since === null ? null : time.fromServer(Number(since)),
      };
    },
    async dueIndividual(ledger, max) {
      const { rows } = await run(
        `SELECT p.* FROM (${dueTurns}) t JOIN paid_inference.proof p ON p.id = t.id
         ORDER BY t.turn, p.due_at, p.id LIMIT $3`,
        ledger,
        Math.max(max, dueTurnsMin),
        max,
      );
      return rows.map(toSignedProof);
    },
    async park(lease, proofIds, refusal) {
      const sql = `SELECT ${versioned('park')}($1, $2, $3, $4, $5)`;
      await describeConditions(
        { lease },
        run(sql, lease.relayer, lease.fence, proofIds, refusal, time.stamp()),
      );
    },
    async readParked(lease, ledger, max, checkedBefore) {
      const sql = `SELECT * FROM ${versioned('read_parked')}($1, $2, $3, $4, $5, $6)`;
      const { relayer, fence } = lease;
      const looking = run(sql, relayer, fence, ledger, max, time.toServer(checkedBefore), time.stamp());
      return (await describeConditions({ lease }, looking)).rows.map(toSignedProof);
    },
    async parked(ledger, max) {
      const { rows } = await run(
        `SELECT count(*) AS proofs, min(refusal) AS refusal FROM (SELECT refusal FROM paid_inference.proof
         WHERE ${isOfLedger} AND ${isParked} ORDER BY checked_at LIMIT $2) p`,
        ledger,
        max,
      );
      return toParkedProofs(rows[0]);
    },
    async waitingElsewhere(ledger, dueBefore, max) {
      const sql = `SELECT count(*) AS proofs, min(ledger) AS ledger FROM (${waitingElsewhere} LIMIT $3) w`;
      return toWaitingElsewhere((await run(sql, ledger, time.toServer(dueBefore), max)).rows[0]);
    },
  };
}

function batchOperations({
  connections: { run },
  time,
}: PostgresPorts): Pick<ProofStore, 'formBatch' | 'openBatches' | 'findBatch'> {
  return {
    async formBatch(lease, ledger, max) {
      const forming = run(
        `SELECT * FROM ${versioned('form_batch')}($1, $2, $3, $4, $5) ORDER BY position`,
        lease.relayer,
        lease.fence,
        ledger,
        max,
        time.stamp(),
      );
      return toBatches((await describeConditions({ lease }, forming)).rows)[0] ?? null;
    },
    async openBatches(ledger, max, after = 0) {
      const { rows } = await run(
        `SELECT * FROM paid_inference.proof WHERE batch_id IN (${openBatchIds} AND b.id > $2 ORDER BY b.id LIMIT $3)
         ORDER BY batch_id, position`,
        ledger,
        after,
        max,
      );
      return toBatches(rows);
    },
    async findBatch(id) {
      const sql = 'SELECT * FROM paid_inference.proof WHERE batch_id = $1 ORDER BY position';
      return toBatches((await run(sql, id)).rows)[0] ?? null;
    },
  };
}

/** Records on the proof ledger, until a reorganisation removes them or they are final. */
function recordOperations({ connections: { run, group } }: PostgresPorts): Pick<ProofStore, RecordOperation> {
  // Anyone may ask for proofs. Together, their questions take two of the connections at most (D-443).
  const findProof = group<Bytes32, ProofEntry | null>(async (runGroup, ids) => {
    const { rows } = await runGroup(
      `SELECT ${proofColumns}, p.batch_id, p.refusal, coalesce(p.tx_hash, b.tx_hash) AS tx_hash,
         coalesce(p.block_number, b.block_number) AS block_number, coalesce(p.block_hash, b.block_hash) AS block_hash
       FROM paid_inference.proof p LEFT JOIN paid_inference.proof_batch b ON b.id = p.batch_id
       WHERE p.proof_id = ANY($1) AND (p.due_at IS NOT NULL OR coalesce(p.tx_hash, b.tx_hash) IS NOT NULL)`,
      ids,
    );
    const found = new Map(rows.map((row) => [row['proof_id'], row]));
    return ids.map((id) => {
      const row = found.get(id);
      return row === undefined ? null : toProofEntry(row);
    });
  });
  return {
    async recordIndividual(lease, proofIds, { txHash, block, blockHash }) {
      const { relayer, fence } = lease;
      const sql = `SELECT ${versioned('record_individual')}($1, $2, $3, $4, $5, $6)`;
      await describeConditions({ lease }, run(sql, relayer, fence, proofIds, txHash, block, blockHash));
    },
    async recordBatch(lease, batchId, { txHash, block, blockHash }) {
      const { relayer, fence } = lease;
      const sql = `SELECT ${versioned('record_batch')}($1, $2, $3, $4, $5, $6)`;
      await describeConditions({ lease }, run(sql, relayer, fence, batchId, txHash, block, blockHash));
    },
    async recordedInclusions(ledger, max, after) {
      const { rows } = await run(
        `SELECT ${inclusionColumns} FROM paid_inference.proof WHERE ${isOfLedger} AND ${isWatched}
         UNION SELECT ${inclusionColumns} FROM paid_inference.proof_batch WHERE ledger = $1 AND ${isWatched}
         ORDER BY block_number, tx_hash LIMIT $4`,
        ledger,
        after?.block ?? -1,
        after?.txHash ?? '',
        max,
      );
      return rows.map(toInclusion);
    },
    async finaliseRecorded(ledger, block) {
      const final =
        'SET is_final = true WHERE tx_hash IS NOT NULL AND NOT is_final AND block_number <= $2 AND';
      const { rows } = await run(
        `WITH single AS (UPDATE paid_inference.proof ${final} ${isOfLedger} RETURNING tx_hash),
           batch AS (UPDATE paid_inference.proof_batch ${final} ledger = $1 RETURNING tx_hash)
         SELECT count(*) AS transactions FROM (SELECT tx_hash FROM single UNION SELECT tx_hash FROM batch) t`,
        ledger,
        block,
      );
      return Number(rows[0]?.['transactions']);
    },
    async reopenRecorded(lease, txHash) {
      const sql = `SELECT ${versioned('reopen_recorded')}($1, $2, $3, $4)`;
      await describeConditions({ lease }, run(sql, lease.relayer, lease.fence, txHash, refusedStates));
    },

    findProof,
  };
}
