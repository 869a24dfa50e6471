import { proofColumns, proofValues } from '../proof-rows.ts';
import type { SignedProof } from '../proof-store.ts';
import type { Statements } from './database.ts';

/** Writes a proof with its completion. The proof becomes due when its payment settles. */
export function writeProof({ run }: Statements, paymentId: number, proof: SignedProof): void {
  run(
    `INSERT INTO proof (payment_id, ${proofColumns}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    paymentId,
    ...proofValues(proof),
  );
}

/** Sets when the payment settled; null when the payment is settled no longer. */
export function setDue({ run }: Statements, paymentId: number | bigint, dueAt: number | null): void {
  run('UPDATE proof SET due_at = ? WHERE payment_id = ?', dueAt, paymentId);
}

/**
 * Deletes the proof of a payment that will never settle, unless the proof ledger has it. Dissolves a batch that
 * is not recorded: its other members go into the next batch.
 */
export function dropUnpaid({ run, one }: Statements, paymentId: number | bigint): void {
  const row = one(
    `SELECT p.id, p.batch_id FROM proof p LEFT JOIN proof_batch b ON b.id = p.batch_id
     WHERE p.payment_id = ? AND p.tx_hash IS NULL AND b.tx_hash IS NULL`,
    paymentId,
  );
  if (row === undefined) return;
  const batchId = row['batch_id'] as bigint | null;
  run('DELETE FROM proof WHERE id = ?', row['id'] as bigint);
  if (batchId === null) return;
  run('UPDATE proof SET batch_id = NULL, position = NULL WHERE batch_id = ?', batchId);
  run('DELETE FROM proof_batch WHERE id = ?', batchId);
}
