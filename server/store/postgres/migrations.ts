import type { ClientBase } from 'pg';
import { newerStore } from '../migration.ts';
import { leaseFunctions } from './lease-functions.ts';
import { paymentFunctions } from './payment-functions.ts';
import { proofFunctions } from './proof-functions.ts';
import { dropIdleAccounts, parkedProofs, proofTables, sentTable, tables } from './tables.ts';

/**
 * The migrations, in order; the version of a store is the number of the last migration applied. Never edit a
 * released migration. Functions hold no data: each new version makes all of them anew. So a change of a
 * function needs a new version too, even an empty one.
 */
export const migrations: readonly string[] = [
  `${tables} CREATE TABLE answer_key (mark bytea NOT NULL);`,

  // How long the payer is blocked for the payment; null where the payer owes nothing.
  `ALTER TABLE payment ADD COLUMN owed_until bigint;
   ALTER TABLE payment ADD COLUMN retries bigint NOT NULL DEFAULT 0;
   -- When the chain was last asked about a refused payment; null where there is nothing more to ask.
   ALTER TABLE payment ADD COLUMN looked_at bigint;
   CREATE INDEX payment_owed ON payment (asset, payer) WHERE owed_until IS NOT NULL;
   CREATE INDEX payment_refused ON payment (looked_at) WHERE looked_at IS NOT NULL;`,

  `CREATE INDEX payment_by_transaction ON payment (tx_hash) WHERE state = 'settled';
   CREATE INDEX chain_tx_closed ON chain_tx (relayer, relayer_nonce, hash) WHERE NOT is_open;`,

  // One row, written when the store is first opened.
  'CREATE TABLE ledger_chain (chain_id bigint NOT NULL, asset text COLLATE "C" NOT NULL);',

  // For the function `abandon_nonce`.
  '',

  proofTables,

  parkedProofs,

  // A released `private` request leaves no hash. Also for the function `release`.
  `UPDATE payment SET fingerprint = '' WHERE state = 'released' AND settlement_type = 'private';`,

  // The record of sent transactions (D-138). Removes the accounts of payers without funds (D-140). Also for the
  // functions.
  `${sentTable} ${dropIdleAccounts}`,

  // For the function `claim_executed`.
  '',
];

const dropFunctions = `
DO $$
DECLARE
  f regprocedure;
BEGIN
  FOR f IN SELECT oid FROM pg_proc WHERE pronamespace = 'paid_inference'::regnamespace LOOP
    EXECUTE 'DROP FUNCTION ' || f;
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
  // For the whole connection, which only opens the store: a busy machine may pause long between two statements.
  await client.query(`SET idle_in_transaction_session_timeout = ${migrationTimeoutMs}`);
  await client.query('BEGIN');
  await client.query(`SET LOCAL statement_timeout = ${migrationTimeoutMs}`);
  await client.query('SELECT pg_advisory_xact_lock($1)', [migrationLock]);
  const server = await one(
    client,
    `SELECT current_setting('server_version_num')::int AS version, to_regclass('paid_inference.ledger_version') AS store,
       to_regnamespace('paid_inference') AS schema`,
  );
  if (Number(server['version']) < oldestServer * 10_000) {
    throw new Error(`the store needs PostgreSQL ${oldestServer} or newer`);
  }
  if (server['store'] === null) {
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
  if (version > migrations.length) throw new Error(newerStore(version, migrations.length));
  if (version < migrations.length) {
    await client.query('SET LOCAL search_path = paid_inference, pg_temp');
    for (const [at, migration] of migrations.entries()) {
      if (at < version) continue;
      await client.query(migration);
      await client.query('INSERT INTO ledger_version (version, applied_at) VALUES ($1, $2)', [at + 1, now]);
    }
    await client.query(dropFunctions);
    await client.query(`${paymentFunctions} ${leaseFunctions} ${proofFunctions}`);
  }
  await client.query('COMMIT');
}

async function one(client: ClientBase, sql: string): Promise<Readonly<Record<string, unknown>>> {
  const { rows } = await client.query(sql);
  return rows[0];
}
