import { refusedStates } from '../../types/payment-states.ts';
import { unixSeconds } from '../../types/units.ts';
import {
  proofColumns,
  toBatches,
  toParkedProofs,
  toProofEntry,
  toSignedProof,
  toSigner,
  toWaitingElsewhere,
} from '../proof-rows.ts';
import { dueTurnsMin, type ProofStore } from '../proof-store.ts';
import { toInclusion } from '../rows.ts';
import { listed } from '../transitions.ts';
import type { SyncStore, SyncStorePorts } from './operations.ts';
import { dropUnpaid } from './proof-life.ts';
import { requireLease } from './require-lease.ts';

/**
 * Excludes a batch while the payment of one of its members is settled no longer: a batch is returned whole or
 * not at all.
 */
const openBatchIds = `SELECT id FROM proof_batch b WHERE ledger = ? AND tx_hash IS NULL
  AND NOT EXISTS (SELECT 1 FROM proof p WHERE p.batch_id = b.id AND p.due_at IS NULL)`;

/** A proof whose key signs for a given proof ledger. */
const isOfLedger = 'EXISTS (SELECT 1 FROM enclave_key k WHERE k.address = signer AND k.ledger = ?)';
/** A proof in `individual` mode and in the queue. */
const isDue = `settlement_type = 'individual' AND due_at IS NOT NULL AND tx_hash IS NULL AND checked_at IS NULL`;
const isParked = 'checked_at IS NOT NULL AND due_at IS NOT NULL';
const dueFrom = (order: 'ASC' | 'DESC') =>
  `SELECT * FROM (SELECT id, payment_id, due_at FROM proof WHERE ${isOfLedger} AND ${isDue}
   ORDER BY due_at ${order}, id ${order} LIMIT ?)`;
/** The oldest and the newest due proofs, each with its number among those of its payer. */
const dueTurns = `SELECT id, row_number() OVER (
    PARTITION BY (SELECT payer FROM payment p WHERE p.id = payment_id) ORDER BY due_at, id) AS turn
  FROM (${dueFrom('ASC')} UNION ${dueFrom('DESC')})`;
export const readDueTurns = `SELECT p.* FROM (${dueTurns}) t JOIN proof p ON p.id = t.id
  ORDER BY t.turn, p.due_at, p.id LIMIT ?`;
const isUnbatched = `settlement_type = 'batch' AND due_at IS NOT NULL AND batch_id IS NULL`;

/** Each part has its own partial index. `CROSS JOIN` keeps the order: the other one reads every proof of a batch. */
export const waitingElsewhere = [
  ...[isDue, isParked, isUnbatched].map(
    (waits) => `SELECT k.ledger FROM proof LEFT JOIN enclave_key k ON k.address = signer
      WHERE k.ledger IS NOT ? AND due_at < ? AND ${waits}`,
  ),
  `SELECT b.ledger FROM proof_batch b CROSS JOIN proof p ON p.batch_id = b.id
   WHERE b.ledger IS NOT ? AND p.due_at < ? AND b.tx_hash IS NULL`,
].join(' UNION ALL ');

const inclusionColumns = 'tx_hash, block_number, block_hash';
/** Recorded, not final, and after a given place in the order. */
const isWatched = 'tx_hash IS NOT NULL AND is_final = 0 AND (block_number, tx_hash) > (?, ?)';

/** Finds a payment that the chain can no longer accept. */
const hopeless = `SELECT 1 FROM payment WHERE id = ? AND state IN (${listed(refusedStates)}) AND checked_at IS NULL`;

type RecordOperation =
  | 'recordIndividual'
  | 'recordBatch'
  | 'recordedInclusions'
  | 'finaliseRecorded'
  | 'reopenRecorded'
  | 'findProof';

export function proofOperations(ports: SyncStorePorts): Pick<SyncStore, keyof ProofStore> {
  return {
    ...signerOperations(ports),
    ...queueOperations(ports),
    ...batchOperations(ports),
    ...recordOperations(ports),
  };
}

function signerOperations({
  statements: { run, one, all },
  stamp,
}: SyncStorePorts): Pick<SyncStore, 'addSigner' | 'findSigner' | 'unregisteredSigners' | 'markRegistered'> {
  return {
    addSigner(address, attestation, ledger) {
      const sql = 'INSERT INTO enclave_key (address, attestation, ledger, added_at) VALUES (?, ?, ?, ?)';
      run(`${sql} ON CONFLICT (address) DO NOTHING`, address, attestation, ledger, stamp());
    },
    findSigner(address) {
      const row = one('SELECT * FROM enclave_key WHERE address = ?', address);
      return row === undefined ? null : toSigner(row);
    },
    unregisteredSigners: (max, after) =>
      all(
        `SELECT * FROM enclave_key WHERE is_registered = 0
           AND id > coalesce((SELECT id FROM enclave_key WHERE address = ?), 0) ORDER BY id LIMIT ?`,
        after ?? null,
        max,
      ).map(toSigner),
    markRegistered(address) {
      run('UPDATE enclave_key SET is_registered = 1 WHERE address = ?', address);
    },
  };
}

type QueueOperation = 'backlog' | 'dueIndividual' | 'park' | 'readParked' | 'parked' | 'waitingElsewhere';

/** Due proofs, and parked proofs of `individual` mode. */
function queueOperations({ statements, stamp }: SyncStorePorts): Pick<SyncStore, QueueOperation> {
  const { run, one, all } = statements;
  return {
    backlog(ledger) {
      const individual = one(`SELECT count(*) AS proofs FROM proof WHERE ${isOfLedger} AND ${isDue}`, ledger);
      const batch = one(
        `SELECT count(*) AS proofs, min(due_at) AS since FROM proof WHERE ${isOfLedger} AND ${isUnbatched}`,
        ledger,
      );
      const since = batch?.['since'] ?? null;
      return {
        individual: Number(individual?.['proofs']),
        batch: Number(batch?.['proofs']),
        batchSince: since === null ? null : unixSeconds(Number(since)),
      };
    },
    dueIndividual(ledger, max) {
      const end = [ledger, Math.max(max, dueTurnsMin)];
      return all(readDueTurns, ...end, ...end, max).map(toSignedProof);
    },
    park(lease, proofIds, refusal) {
      requireLease(statements, lease);
      for (const proofId of proofIds) {
        run(
          `UPDATE proof SET checked_at = ?, refusal = ?
           WHERE proof_id = ? AND settlement_type = 'individual' AND tx_hash IS NULL`,
          stamp(),
          refusal,
          proofId,
        );
      }
    },
    readParked(lease, ledger, max, checkedBefore) {
      requireLease(statements, lease);
      const rows = all(
        `SELECT * FROM proof WHERE ${isOfLedger} AND checked_at < ? AND due_at IS NOT NULL
         ORDER BY checked_at, id LIMIT ?`,
        ledger,
        checkedBefore,
        max,
      );
      for (const { id } of rows) run('UPDATE proof SET checked_at = ? WHERE id = ?', stamp(), id as bigint);
      return rows.map(toSignedProof);
    },
    parked: (ledger, max) =>
      toParkedProofs(
        one(
          `SELECT count(*) AS proofs, min(refusal) AS refusal FROM (SELECT refusal FROM proof
           WHERE ${isOfLedger} AND ${isParked} ORDER BY checked_at LIMIT ?)`,
          ledger,
          max,
        ),
      ),
    waitingElsewhere(ledger, dueBefore, max) {
      const sql = `SELECT count(*) AS proofs, min(ledger) AS ledger FROM (${waitingElsewhere} LIMIT ?)`;
      const each = Array.from({ length: 4 }, () => [ledger, dueBefore]).flat();
      return toWaitingElsewhere(one(sql, ...each, max));
    },
  };
}

function batchOperations({
  statements,
  stamp,
}: SyncStorePorts): Pick<SyncStore, 'formBatch' | 'openBatches' | 'findBatch'> {
  const { run, one, all } = statements;
  return {
    formBatch(lease, ledger, max) {
      requireLease(statements, lease);
      const due = all(
        `SELECT * FROM proof WHERE ${isOfLedger} AND ${isUnbatched} ORDER BY due_at, id LIMIT ?`,
        ledger,
        max,
      );
      if (due.length === 0) return null;
      const sql = 'INSERT INTO proof_batch (formed_at, ledger) VALUES (?, ?) RETURNING id';
      const batch = one(sql, stamp(), ledger);
      const id = batch?.['id'] as bigint;
      for (const [position, row] of due.entries()) {
        run('UPDATE proof SET batch_id = ?, position = ? WHERE id = ?', id, position, row['id'] as bigint);
      }
      return { id: Number(id), proofs: due.map(toSignedProof) };
    },
    openBatches: (ledger, max, after = 0) =>
      toBatches(
        all(
          `SELECT * FROM proof WHERE batch_id IN (${openBatchIds} AND b.id > ? ORDER BY id LIMIT ?)
           ORDER BY batch_id, position`,
          ledger,
          after,
          max,
        ),
      ),
    findBatch: (id) =>
      toBatches(all('SELECT * FROM proof WHERE batch_id = ? ORDER BY position', id))[0] ?? null,
  };
}

/** Records on the proof ledger, until a reorganisation removes them or they are final. */
function recordOperations({ statements }: SyncStorePorts): Pick<SyncStore, RecordOperation> {
  const { run, one, all } = statements;
  return {
    recordIndividual(lease, proofIds, { txHash, block, blockHash }) {
      requireLease(statements, lease);
      for (const proofId of proofIds) {
        run(
          `UPDATE proof SET tx_hash = ?, block_number = ?, block_hash = ?, checked_at = NULL, refusal = NULL
           WHERE proof_id = ? AND settlement_type = 'individual' AND is_final = 0`,
          txHash,
          block,
          blockHash,
          proofId,
        );
      }
    },
    recordBatch(lease, batchId, { txHash, block, blockHash }) {
      requireLease(statements, lease);
      run(
        'UPDATE proof_batch SET tx_hash = ?, block_number = ?, block_hash = ? WHERE id = ? AND is_final = 0',
        txHash,
        block,
        blockHash,
        batchId,
      );
    },
    recordedInclusions(ledger, max, after) {
      const place = [ledger, after?.block ?? -1, after?.txHash ?? ''];
      return all(
        `SELECT ${inclusionColumns} FROM proof WHERE ${isOfLedger} AND ${isWatched}
         UNION SELECT ${inclusionColumns} FROM proof_batch WHERE ledger = ? AND ${isWatched}
         ORDER BY block_number, tx_hash LIMIT ?`,
        ...place,
        ...place,
        max,
      ).map(toInclusion);
    },
    finaliseRecorded(ledger, block) {
      const tables = { proof: isOfLedger, proof_batch: 'ledger = ?' };
      const finalised = Object.entries(tables).flatMap(([table, isOf]) =>
        all(
          `UPDATE ${table} SET is_final = 1
           WHERE ${isOf} AND tx_hash IS NOT NULL AND is_final = 0 AND block_number <= ? RETURNING tx_hash`,
          ledger,
          block,
        ),
      );
      return new Set(finalised.map((row) => row['tx_hash'])).size;
    },
    reopenRecorded(lease, txHash) {
      requireLease(statements, lease);
      const open =
        'SET tx_hash = NULL, block_number = NULL, block_hash = NULL WHERE tx_hash = ? AND is_final = 0';
      const batches = all(`UPDATE proof_batch ${open} RETURNING id`, txHash);
      const members = batches.flatMap(({ id }) =>
        all('SELECT payment_id FROM proof WHERE batch_id = ?', id as bigint),
      );
      // A recorded proof stays when its payment fails. A proof is recorded again only for a paid payment.
      for (const { payment_id: id } of [
        ...members,
        ...all(`UPDATE proof ${open} RETURNING payment_id`, txHash),
      ]) {
        if (one(hopeless, id as bigint) !== undefined) dropUnpaid(statements, id as bigint);
      }
    },

    findProof(proofId) {
      const row = one(
        `SELECT ${proofColumns}, batch_id, refusal, coalesce(p.tx_hash, b.tx_hash) AS tx_hash,
           coalesce(p.block_number, b.block_number) AS block_number, coalesce(p.block_hash, b.block_hash) AS block_hash
         FROM proof p LEFT JOIN proof_batch b ON b.id = p.batch_id
         WHERE proof_id = ? AND (due_at IS NOT NULL OR coalesce(p.tx_hash, b.tx_hash) IS NOT NULL)`,
        proofId,
      );
      return row === undefined ? null : toProofEntry(row);
    },
  };
}
