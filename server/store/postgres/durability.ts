import { randomBytes } from 'node:crypto';
import type { ClientBase } from 'pg';

/** Several pages of PostgreSQL. */
const probeBytes = 32_768;

/** Writes new pages and undoes them. Rejects with the server's error when nothing can be written. */
export async function writeAndUndo(client: ClientBase): Promise<void> {
  await client.query('BEGIN');
  // Random bytes cannot be compressed into a page that exists.
  const text = 'INSERT INTO paid_inference.completion_key (mark) VALUES ($1)';
  await client.query(text, [randomBytes(probeBytes)]);
  await client.query('ROLLBACK');
}

/** The warning for a server that confirms a payment before it is on disk. */
export const asynchronousCommit =
  'synchronous_commit is off in the store: a crash of the server may lose committed payments. Set it to on.';
