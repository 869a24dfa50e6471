import type { DatabaseSync } from 'node:sqlite';
import { newerLedger } from '../migration.ts';

/**
 * What made the ledger what it is, in order; a ledger has the version of the last one applied. A migration that was
 * released is never edited.
 *
 * Amounts are INTEGER: a balance is clamped to 2^62, which no price of this gateway comes near. The window of an
 * authorization is text of 78 digits, which sorts as the uint256 that the payer signed.
 */
export const migrations: readonly string[] = [
  `CREATE TABLE payer_account (
     asset TEXT NOT NULL,
     payer TEXT NOT NULL,
     -- As of balance_block, less what settled in later blocks; under zero when the payer moved money meanwhile.
     balance INTEGER NOT NULL DEFAULT 0,
     -- -1 when it was never read, or can no longer be believed.
     balance_block INTEGER NOT NULL DEFAULT -1,
     balance_read_at INTEGER NOT NULL DEFAULT 0,
     -- Sum of the payments that are reserved, executed or submitted.
     pending INTEGER NOT NULL DEFAULT 0 CHECK (pending >= 0),
     last_settled_block INTEGER NOT NULL DEFAULT -1,
     bad_debt INTEGER NOT NULL DEFAULT 0,
     blocked_until INTEGER NOT NULL DEFAULT 0,
     PRIMARY KEY (asset, payer)
   ) STRICT, WITHOUT ROWID;

   CREATE TABLE payment (
     id INTEGER PRIMARY KEY AUTOINCREMENT,
     asset TEXT NOT NULL,
     payer TEXT NOT NULL,
     nonce TEXT NOT NULL,
     amount INTEGER NOT NULL,
     pay_to TEXT NOT NULL,
     valid_after TEXT NOT NULL,
     valid_before TEXT NOT NULL,
     signature TEXT NOT NULL,
     fingerprint TEXT NOT NULL,
     settlement_type TEXT NOT NULL,
     state TEXT NOT NULL,
     lease_until INTEGER NOT NULL,
     answer BLOB,
     -- The lane that claimed it, and the relayer nonce that it was submitted with last.
     lane TEXT,
     relayer_nonce INTEGER,
     tx_hash TEXT,
     block_number INTEGER,
     block_hash TEXT,
     failure TEXT,
     created_at INTEGER NOT NULL,
     updated_at INTEGER NOT NULL,
     settled_at INTEGER,
     UNIQUE (asset, payer, nonce)
   ) STRICT;

   CREATE INDEX payment_reserved ON payment (lease_until) WHERE state = 'reserved';
   CREATE INDEX payment_executed ON payment (valid_before, id) WHERE state = 'executed';
   CREATE INDEX payment_submitted ON payment (lane, relayer_nonce) WHERE state = 'submitted';
   CREATE INDEX payment_settled ON payment (block_number) WHERE state = 'settled';
   CREATE INDEX payment_answered ON payment (settled_at) WHERE answer IS NOT NULL AND settled_at IS NOT NULL;

   CREATE TABLE lane (
     relayer TEXT PRIMARY KEY,
     -- Null while nobody holds it.
     owner TEXT,
     fence INTEGER NOT NULL,
     lease_until INTEGER NOT NULL
   ) STRICT;

   CREATE TABLE chain_tx (
     id INTEGER PRIMARY KEY AUTOINCREMENT,
     hash TEXT NOT NULL UNIQUE,
     raw TEXT NOT NULL,
     relayer TEXT NOT NULL,
     relayer_nonce INTEGER NOT NULL,
     -- Whether the outcome of its relayer nonce is still to be learnt.
     is_open INTEGER NOT NULL DEFAULT 1,
     created_at INTEGER NOT NULL
   ) STRICT;

   CREATE INDEX chain_tx_nonce ON chain_tx (relayer, relayer_nonce);
   CREATE INDEX chain_tx_open ON chain_tx (relayer, relayer_nonce) WHERE is_open = 1;

   CREATE TABLE answer_key (mark BLOB NOT NULL) STRICT;`,
];

/** Brings a ledger to the newest version, in one transaction; throws a sentence for one that is newer than this program. */
export function migrate(database: DatabaseSync, now: number): void {
  database.exec('BEGIN IMMEDIATE');
  try {
    const known = database.prepare("SELECT name FROM sqlite_schema WHERE type = 'table'").all();
    if (
      known.some(({ name }) => name === 'payment') &&
      !known.some(({ name }) => name === 'ledger_version')
    ) {
      throw new Error(
        'the ledger was made before ledgers had versions: move the file away to start a new one',
      );
    }
    database.exec(
      'CREATE TABLE IF NOT EXISTS ledger_version (version INTEGER PRIMARY KEY, applied_at INTEGER NOT NULL)',
    );
    const row = database.prepare('SELECT coalesce(max(version), 0) AS version FROM ledger_version').get();
    const version = Number(row?.['version']);
    if (version > migrations.length) throw new Error(newerLedger(version, migrations.length));
    for (const [at, migration] of migrations.entries()) {
      if (at < version) continue;
      database.exec(migration);
      database.prepare('INSERT INTO ledger_version (version, applied_at) VALUES (?, ?)').run(at + 1, now);
    }
    database.exec('COMMIT');
  } catch (cause) {
    if (database.isTransaction) database.exec('ROLLBACK');
    throw cause;
  }
}
