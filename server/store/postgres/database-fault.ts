import type { ClientBase } from 'pg';
import { readMigrations } from './migrations.ts';

const databaseSql = `WITH schema AS (SELECT to_regnamespace('paid_inference')::oid AS id),
    member AS (SELECT relname::text AS name FROM pg_class WHERE relnamespace = (SELECT id FROM schema))
  SELECT current_setting('transaction_read_only') = 'on' AS is_read_only,
    EXISTS (SELECT 1 FROM member WHERE name IN ('store_version', 'ledger_version')) AS has_store,
    id IS NOT NULL AS has_schema,
    coalesce(has_schema_privilege(id, 'CREATE'), has_database_privilege(current_database(), 'CREATE')) AS may_create,
    (SELECT min(name) FROM member WHERE name = ANY($1)) AS table_of_store
  FROM schema`;

/**
 * Finds the reason why no gateway can open or create a store in this database, without a write. Start and doctor
 * report the same sentence. Null if there is none.
 */
export async function findDatabaseFault(client: ClientBase): Promise<string | null> {
  const [row] = (await client.query(databaseSql, [listTables()])).rows;
  if (row.is_read_only)
    return 'the database is read-only. Set DATABASE_URL to the primary server, or turn off default_transaction_read_only';
  if (row.has_store) return null;
  if (!row.may_create)
    return `the user may not create a store in ${row.has_schema ? 'the schema paid_inference' : 'this database'}. Grant it CREATE there, or let the owner start the first gateway`;
  if (row.table_of_store !== null)
    return `the schema paid_inference has the table ${row.table_of_store}, but no version of a store. Restore the whole store, or set DATABASE_URL to another database`;
  return null;
}

/** The tables that the migrations create or rename. */
function listTables(): readonly string[] {
  const statement = /(?:CREATE TABLE(?: IF NOT EXISTS)?|ALTER TABLE \w+ RENAME TO) (\w+)/g;
  return readMigrations().flatMap((migration) =>
    [...migration.matchAll(statement)].map(([, name = '']) => name),
  );
}
