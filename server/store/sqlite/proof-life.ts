import { proofColumns, proofValues } from '../proof-rows.ts';
import type { SignedProof } from '../proof-store.ts';
import type { Statements } from './database.ts';

/** Writes a proof with the answer that it is of; it is not due before its payment settles. */
export function writeProof({ run }: Statements, paymentId: number, proof: SignedProof): void {
  run(
    `INSERT INTO proof (payment_id, ${proofColumns}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    paymentId,
    ...proofValues(proof),
  );
}

/** The payment settled at this time, or is settled no longer (null). */
export function setDue({ run }: Statements, paymentId: number | bigint, dueAt: number | null): void {
  run('UPDATE proof SET due_at = ? WHERE payment_id = ?', dueAt, paymentId);
}

/**
 * Forgets the proof of a payment that will never settle, unless the ledger network has it. A batch that waited for it is
 * dissolved: its other members go into the next.
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
