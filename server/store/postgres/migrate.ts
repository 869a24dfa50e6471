import { setTimeout as pause } from 'node:timers/promises';
import type { ClientBase } from 'pg';
import { newerStore, StoreRefused } from '../migration.ts';
import { findDatabaseFault } from './database-fault.ts';
import { isContention, readCode } from './faults.ts';
import { readFunctions, storeVersion, versioned } from './functions.ts';
import { readMigrations } from './migrations.ts';

const oldestServer = 13;
/** Our number among the advisory locks of the database, chosen at random. */
const migrationLock = '7402610398412957';
const migrationTimeoutMs = 60_000;
/** Other gateways wait behind a migration that waits for a lock, so it waits for less time than they do. */
const lockTimeoutMs = 2_000;
const lockAttemptsMax = 15;
const lockPauseMs = 1_000;

/**
 * Brings a store to the version of this program, also while gateways of older versions use it (D-380). Gateways
 * that start together take turns. A store that is up to date needs no right to change a schema. Throws a
 * sentence for the operator when this program cannot use the store.
 */
export async function migrate(client: ClientBase, now: number): Promise<void> {
  const fault = await findDatabaseFault(client);
  if (fault !== null) throw new StoreRefused(fault);
  // For the whole connection, which only opens the store: a busy machine may pause long between two statements.
  await client.query(`SET idle_in_transaction_session_timeout = ${migrationTimeoutMs}`);
  for (let attempt = 1; ; attempt++) {
    try {
      return await migrateOnce(client, now);
    } catch (cause) {
      if (!isLockTimeout(cause) && !isContention(cause)) throw cause;
      if (attempt === lockAttemptsMax) throw new StoreRefused(lockedTables);
      await client.query('ROLLBACK');
      await pause(lockPauseMs);
    }
  }
}

const lockedTables =
  'another program holds a lock on a table of the store. Start again when that program, such as a backup, has ended';

function isLockTimeout(cause: unknown): boolean {
  return readCode(cause) === '55P03';
}

async function migrateOnce(client: ClientBase, now: number): Promise<void> {
  await client.query('BEGIN');
  await client.query(`SET LOCAL statement_timeout = ${migrationTimeoutMs}`);
  await client.query('SELECT pg_advisory_xact_lock($1)', [migrationLock]);
  await client.query(`SET LOCAL lock_timeout = ${lockTimeoutMs}`);
  const { version, oldestProgram } = await readVersion(client);
  if (oldestProgram > storeVersion) throw newerStore(version, storeVersion);
  await client.query('SET LOCAL search_path = paid_inference, pg_temp');
  for (const [at, migration] of readMigrations().entries()) {
    if (at < version) continue;
    await client.query(migration);
    await client.query('INSERT INTO store_version (version, applied_at) VALUES ($1, $2)', [at + 1, now]);
  }
  const { known } = await one(client, 'SELECT to_regproc($1) AS known', [versioned('reserve')]);
  if (known === null) await client.query(readFunctions());
  await client.query('COMMIT');
}

/** Reads the version of a store, and makes the table of versions for a new store, which has version 0. */
async function readVersion(
  client: ClientBase,
): Promise<{ readonly version: number; readonly oldestProgram: number }> {
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
  // Stores of version 16 and older do not name the oldest program.
  const newest = await one(
    client,
    `SELECT coalesce(max(version), 0) AS version,
       coalesce(max((to_jsonb(v) ->> 'oldest_program')::int), 0) AS oldest FROM paid_inference.store_version v`,
  );
  return { version: Number(newest['version']), oldestProgram: Number(newest['oldest']) };
}

async function one(
  client: ClientBase,
  sql: string,
  values: readonly unknown[] = [],
): Promise<Readonly<Record<string, unknown>>> {
  const { rows } = await client.query(sql, [...values]);
  return rows[0];
}
