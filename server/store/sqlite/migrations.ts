import type { DatabaseSync } from 'node:sqlite';
import { newerStore } from '../migration.ts';

/**
 * The migrations, in order; the version of a store is the number of the last migration applied. Never edit a
 * released migration.
 *
 * Amounts are INTEGER: a balance is clamped to 2^62, far above every price of this gateway. The window of an
 * authorization is text of 78 digits, which sorts like the uint256 that the payer signed.
 */
export const migrations: readonly string[] = [
  `CREATE TABLE payer_account (
     asset TEXT NOT NULL,
     payer TEXT NOT NULL,
     -- As of balance_block, less later settlements; below zero when the payer transferred tokens meanwhile.
     balance INTEGER NOT NULL DEFAULT 0,
     -- -1 when the balance was never read, or its reading is no longer valid.
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
     -- The relayer that claimed the payment, and the relayer nonce of the last submission.
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
     -- Null while no process holds the lease.
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
     -- True while the outcome of the relayer nonce is unknown.
     is_open INTEGER NOT NULL DEFAULT 1,
     created_at INTEGER NOT NULL
   ) STRICT;

   CREATE INDEX chain_tx_nonce ON chain_tx (relayer, relayer_nonce);
   CREATE INDEX chain_tx_open ON chain_tx (relayer, relayer_nonce) WHERE is_open = 1;

   CREATE TABLE answer_key (mark BLOB NOT NULL) STRICT;`,

  // How long the payer is blocked for the payment; null where the payer owes nothing.
  `ALTER TABLE payment ADD COLUMN owed_until INTEGER;
   ALTER TABLE payment ADD COLUMN retries INTEGER NOT NULL DEFAULT 0;
   -- When the chain was last asked about a refused payment; null where there is nothing more to ask.
   ALTER TABLE payment ADD COLUMN looked_at INTEGER;
   CREATE INDEX payment_owed ON payment (asset, payer) WHERE owed_until IS NOT NULL;
   CREATE INDEX payment_refused ON payment (looked_at) WHERE looked_at IS NOT NULL;`,

  // Finds settled payments by transaction, and closed nonces of the journal without reading their long rows.
  `CREATE INDEX payment_by_transaction ON payment (tx_hash) WHERE state = 'settled';
   CREATE INDEX chain_tx_closed ON chain_tx (relayer, relayer_nonce, hash) WHERE is_open = 0;`,

  // One row, written when the store is first opened.
  'CREATE TABLE ledger_chain (chain_id INTEGER NOT NULL, asset TEXT NOT NULL) STRICT;',

  // The encrypted proof, as the payer got it.
  `ALTER TABLE payment ADD COLUMN proof BLOB;

   CREATE TABLE enclave_key (
     id INTEGER PRIMARY KEY AUTOINCREMENT,
     address TEXT NOT NULL UNIQUE,
     attestation TEXT NOT NULL,
     -- Whether the proof ledger has the key.
     is_registered INTEGER NOT NULL DEFAULT 0,
     added_at INTEGER NOT NULL
   ) STRICT;

   CREATE TABLE proof_batch (
     id INTEGER PRIMARY KEY AUTOINCREMENT,
     formed_at INTEGER NOT NULL,
     -- The transaction that recorded the batch on the proof ledger.
     tx_hash TEXT,
     block_number INTEGER,
     block_hash TEXT,
     is_final INTEGER NOT NULL DEFAULT 0
   ) STRICT;

   CREATE TABLE proof (
     id INTEGER PRIMARY KEY AUTOINCREMENT,
     payment_id INTEGER NOT NULL UNIQUE REFERENCES payment (id),
     proof_id TEXT NOT NULL UNIQUE,
     input_hash TEXT NOT NULL,
     output_hash TEXT NOT NULL,
     model_hash TEXT NOT NULL,
     inferred_at INTEGER NOT NULL,
     signer TEXT NOT NULL,
     signature TEXT NOT NULL,
     settlement_type TEXT NOT NULL,
     -- When its payment settled; null while it is not settled.
     due_at INTEGER,
     batch_id INTEGER REFERENCES proof_batch (id),
     position INTEGER,
     -- The transaction that recorded the proof, in individual mode. In batch mode the batch has the
     -- transaction.
     tx_hash TEXT,
     block_number INTEGER,
     block_hash TEXT,
     is_final INTEGER NOT NULL DEFAULT 0
   ) STRICT;

   CREATE INDEX enclave_key_unregistered ON enclave_key (id) WHERE is_registered = 0;
   CREATE INDEX proof_individual ON proof (due_at, id)
     WHERE settlement_type = 'individual' AND due_at IS NOT NULL AND tx_hash IS NULL;
   CREATE INDEX proof_unbatched ON proof (due_at, id)
     WHERE settlement_type = 'batch' AND due_at IS NOT NULL AND batch_id IS NULL;
   CREATE INDEX proof_member ON proof (batch_id, position) WHERE batch_id IS NOT NULL;
   CREATE INDEX proof_recorded ON proof (block_number) WHERE tx_hash IS NOT NULL AND is_final = 0;
   CREATE INDEX proof_batch_open ON proof_batch (id) WHERE tx_hash IS NULL;
   CREATE INDEX proof_batch_recorded ON proof_batch (block_number) WHERE tx_hash IS NOT NULL AND is_final = 0;`,

  // When the proof ledger was last asked about a parked proof; null for a proof that is not parked.
  `ALTER TABLE proof ADD COLUMN looked_at INTEGER;
   -- Why the proof is parked; null where the proof ledger has the proof in an unknown block.
   ALTER TABLE proof ADD COLUMN refusal TEXT;
   DROP INDEX proof_individual;
   CREATE INDEX proof_individual ON proof (due_at, id)
     WHERE settlement_type = 'individual' AND due_at IS NOT NULL AND tx_hash IS NULL AND looked_at IS NULL;
   CREATE INDEX proof_aside ON proof (looked_at, id) WHERE looked_at IS NOT NULL;`,

  // A released `private` request leaves no hash.
  `UPDATE payment SET fingerprint = '' WHERE state = 'released' AND settlement_type = 'private';`,

  // The record of sent transactions (D-138). A payment that an older version handed to a facilitator has a
  // relayer.
  `CREATE TABLE payment_transaction (
     payment_id INTEGER NOT NULL,
     -- Empty where a facilitator was asked to send a transaction.
     tx_hash TEXT NOT NULL,
     PRIMARY KEY (payment_id, tx_hash)
   ) STRICT, WITHOUT ROWID;

   INSERT INTO payment_transaction SELECT id, tx_hash FROM payment
     WHERE tx_hash IS NOT NULL AND (state IN ('submitted', 'settled') OR looked_at IS NOT NULL);
   INSERT OR IGNORE INTO payment_transaction SELECT p.id, t.hash FROM payment p
     JOIN chain_tx t ON t.relayer = p.lane AND t.relayer_nonce = p.relayer_nonce
     WHERE p.state IN ('submitted', 'settled') OR p.looked_at IS NOT NULL;
   INSERT INTO payment_transaction SELECT id, '' FROM payment WHERE state = 'executed' AND lane IS NOT NULL;`,

  // Removes the accounts of payers without funds (D-140).
  `DELETE FROM payer_account AS a WHERE a.pending = 0 AND a.bad_debt = 0
     AND NOT EXISTS (SELECT 1 FROM payment p WHERE p.asset = a.asset AND p.payer = a.payer);
   CREATE INDEX payment_released ON payment (updated_at) WHERE state = 'released';`,
];

/**
 * Migrates a store to the newest version in one transaction. Throws a sentence when the store is newer than
 * this program.
 */
export function migrate(database: DatabaseSync, now: number): void {
  database.exec('BEGIN IMMEDIATE');
  try {
    const known = database.prepare("SELECT name FROM sqlite_schema WHERE type = 'table'").all();
    if (
      known.some(({ name }) => name === 'payment') &&
      !known.some(({ name }) => name === 'ledger_version')
    ) {
      throw new Error(
        'the store is older than version 1 and cannot be migrated. Move the file away to start a new store',
      );
    }
    database.exec(
      'CREATE TABLE IF NOT EXISTS ledger_version (version INTEGER PRIMARY KEY, applied_at INTEGER NOT NULL)',
    );
    const row = database.prepare('SELECT coalesce(max(version), 0) AS version FROM ledger_version').get();
    const version = Number(row?.['version']);
    if (version > migrations.length) throw new Error(newerStore(version, migrations.length));
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
