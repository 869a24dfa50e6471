import type { ClientBase } from 'pg';

/** Reads the version of a store without a change to it; 0 for a database without a store. */
export async function readStoreVersion(client: ClientBase): Promise<number> {
  const found = await client.query(
    `SELECT coalesce(to_regclass('paid_inference.store_version'), to_regclass('paid_inference.ledger_version'))::text
       AS name`,
  );
  const name: string | null = found.rows[0].name;
  if (name === null) return 0;
  const { rows } = await client.query(`SELECT coalesce(max(version), 0) AS version FROM ${name}`);
  return Number(rows[0].version);
}
