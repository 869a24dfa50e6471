import type { ClientBase } from 'pg';
import { newerStore } from '../migration.ts';
import { readSqlFiles } from '../sql-files.ts';

/**
 * Reads the migrations, in order. The version of a store is the number of the last migration applied. Never
 * edit a released migration. Functions hold no data: each new version makes all of them anew. So a change of a
 * function needs a new version too, even an empty one.
 */
export function readMigrations(): readonly string[] {
  return readSqlFiles(new URL('./migrations/', import.meta.url));
}

/** Reads the functions of the store. Each is one statement for the caller, so it is atomic. */
function readFunctions(): string {
  return readSqlFiles(new URL('./functions/', import.meta.url)).join('\n');
}

const dropFunctions = `
DO $$
DECLARE
  f regprocedure;
BEGIN
  FOR f IN SELECT oid FROM pg_proc WHERE pronamespace = 'paid_inference'::regnamespace LOOP
    -- With its trigger, which the function's file makes anew.
    EXECUTE 'DROP FUNCTION ' || f || ' CASCADE';
  END LOOP;
END $$`;

const oldestServer = 13;
/** Our number among the advisory locks of the database, chosen at random. */
const migrationLock = '7402610398412957';
const migrationTimeoutMs = 60_000;

/**
 * Brings a store to the newest version. Gateways that start together take turns. A store that is up to date
 * needs no right to change a schema. Throws a sentence for the operator when the store is newer than this
 * program.
 */
export async function migrate(client: ClientBase, now: number): Promise<void> {
  const migrations = readMigrations();
  // For the whole connection, which only opens the store: a busy machine may pause long between two statements.
  await client.query(`SET idle_in_transaction_session_timeout = ${migrationTimeoutMs}`);
  await client.query('BEGIN');
  await client.query(`SET LOCAL statement_timeout = ${migrationTimeoutMs}`);
  await client.query('SELECT pg_advisory_xact_lock($1)', [migrationLock]);
  const version = await readVersion(client);
  if (version > migrations.length) throw newerStore(version, migrations.length);
  if (version < migrations.length) {
    await client.query('SET LOCAL search_path = paid_inference, pg_temp');
    for (const [at, migration] of migrations.entries()) {
      if (at < version) continue;
      await client.query(migration);
      await client.query('INSERT INTO store_version (version, applied_at) VALUES ($1, $2)', [at + 1, now]);
    }
    await client.query(dropFunctions);
    await client.query(readFunctions());
  }
  await client.query('COMMIT');
}

/** Reads the version of a store, and makes the table of versions for a new store, which has version 0. */
async function readVersion(client: ClientBase): Promise<number> {
  const server = await one(
    client,
    `SELECT current_setting('server_version_num')::int AS version, to_regnamespace('paid_inference') AS schema,
       to_regclass('paid_inference.store_version') AS versions, to_regclass('paid_inference.ledger_version') AS old`,
  );
  if (Number(server['version']) < oldestServer * 10_000) {
    throw new Error(`the store needs PostgreSQL ${oldestServer} or newer`);
  }
  // Stores of version 10 and older have this table under its first name.
  if (server['old'] !== null) {
    await client.query('ALTER TABLE paid_inference.ledger_version RENAME TO store_version');
  } else if (server['versions'] === null) {
    if (server['schema'] === null) await client.query('CREATE SCHEMA paid_inference');
    await client.query(
      'CREATE TABLE paid_inference.store_version (version int PRIMARY KEY, applied_at bigint NOT NULL)',
    );
  }
  const newest = await one(
    client,
    'SELECT coalesce(max(version), 0) AS version FROM paid_inference.store_version',
  );
  return Number(newest['version']);
}

async function one(client: ClientBase, sql: string): Promise<Readonly<Record<string, unknown>>> {
  const { rows } = await client.query(sql);
  return rows[0];
}
