import type { ClientBase } from 'pg';
import { newerLedger } from '../migration.ts';
import { laneFunctions } from './lane-functions.ts';
import { paymentFunctions } from './payment-functions.ts';
import { tables } from './tables.ts';

/**
 * What made the ledger what it is, in order; a ledger has the version of the last one applied. A migration that was
 * released is never edited.
 */
export const migrations: readonly string[] = [
  `${tables} ${paymentFunctions} ${laneFunctions} CREATE TABLE answer_key (mark bytea NOT NULL);`,
];

const oldestServer = 13;
/** Ours among the advisory locks of the database, chosen at random. */
const migrationLock = '7402610398412957';
const migrationTimeoutMs = 60_000;

/**
 * Brings a ledger to the newest version, and nobody else at the same time: gateways that start together take turns. Where
 * there is nothing to do it asks for no right to change a schema. Throws a sentence for a ledger newer than this program.
 */
export async function migrate(client: ClientBase, now: number): Promise<void> {
  await client.query('BEGIN');
  await client.query(`SET LOCAL statement_timeout = ${migrationTimeoutMs}`);
  await client.query('SELECT pg_advisory_xact_lock($1)', [migrationLock]);
  const server = await one(
    client,
    `SELECT current_setting('server_version_num')::int AS version, to_regclass('paid_inference.ledger_version') AS ledger,
       to_regnamespace('paid_inference') AS schema`,
  );
  if (Number(server['version']) < oldestServer * 10_000) {
    throw new Error(`the ledger needs PostgreSQL ${oldestServer} or newer`);
  }
  if (server['ledger'] === null) {
    if (server['schema'] === null) await client.query('CREATE SCHEMA paid_inference');
    await client.query(
      'CREATE TABLE paid_inference.ledger_version (version int PRIMARY KEY, applied_at bigint NOT NULL)',
    );
  }
  const kept = await one(
    client,
    'SELECT coalesce(max(version), 0) AS version FROM paid_inference.ledger_version',
  );
  const version = Number(kept['version']);
  if (version > migrations.length) throw new Error(newerLedger(version, migrations.length));
  for (const [at, migration] of migrations.entries()) {
    if (at < version) continue;
    await client.query('SET LOCAL search_path = paid_inference, pg_temp');
    await client.query(migration);
    await client.query('INSERT INTO ledger_version (version, applied_at) VALUES ($1, $2)', [at + 1, now]);
  }
  await client.query('COMMIT');
}

async function one(client: ClientBase, sql: string): Promise<Readonly<Record<string, unknown>>> {
  const { rows } = await client.query(sql);
  return rows[0];
}
