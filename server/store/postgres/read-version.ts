import type { ClientBase } from 'pg';
import { storeVersion } from './functions.ts';

/**
 * Reads the version of a store without a change to it; 0 for a database without a store. A newer store that this
 * program can use counts as one of its own version (D-380).
 */
export async function readStoreVersion(client: ClientBase): Promise<number> {
  const found = await client.query(
    `SELECT coalesce(to_regclass('paid_inference.store_version'), to_regclass('paid_inference.ledger_version'))::text
       AS name`,
  );
  const name: string | null = found.rows[0].name;
  if (name === null) return 0;
  const { rows } = await client.query(
    `SELECT coalesce(max(version), 0) AS version,
       coalesce(max((to_jsonb(v) ->> 'oldest_program')::int), 0) AS oldest FROM ${name} v`,
  );
  const [version, oldestProgram] = [Number(rows[0].version), Number(rows[0].oldest)];
  return oldestProgram <= storeVersion ? Math.min(version, storeVersion) : version;
}
