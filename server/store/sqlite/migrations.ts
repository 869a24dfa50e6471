import type { DatabaseSync } from 'node:sqlite';
import { newerStore } from '../migration.ts';

/**
 * What made the store what it is, in order; a store has the version of the last one applied. A migration that was
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

  // Until when the payer is held back for it; null where nothing is owed.
  `ALTER TABLE payment ADD COLUMN owed_until INTEGER;
   ALTER TABLE payment ADD COLUMN retries INTEGER NOT NULL DEFAULT 0;
   -- When the chain was asked last about a refused payment; null where there is nothing more to ask.
   ALTER TABLE payment ADD COLUMN looked_at INTEGER;
   CREATE INDEX payment_owed ON payment (asset, payer) WHERE owed_until IS NOT NULL;
   CREATE INDEX payment_refused ON payment (looked_at) WHERE looked_at IS NOT NULL;`,

  // What is settled by which transaction; and the journal's closed nonces, without their long rows.
  `CREATE INDEX payment_by_transaction ON payment (tx_hash) WHERE state = 'settled';
   CREATE INDEX chain_tx_closed ON chain_tx (relayer, relayer_nonce, hash) WHERE is_open = 0;`,

  // One row: written when the store is opened first.
  'CREATE TABLE ledger_chain (chain_id INTEGER NOT NULL, asset TEXT NOT NULL) STRICT;',

  // The proof as its payer got it, sealed.
  `ALTER TABLE payment ADD COLUMN proof BLOB;

   CREATE TABLE enclave_key (
     id INTEGER PRIMARY KEY AUTOINCREMENT,
     address TEXT NOT NULL UNIQUE,
     attestation TEXT NOT NULL,
     -- On the ledger network.
     is_registered INTEGER NOT NULL DEFAULT 0,
     added_at INTEGER NOT NULL
   ) STRICT;

   CREATE TABLE proof_batch (
     id INTEGER PRIMARY KEY AUTOINCREMENT,
     formed_at INTEGER NOT NULL,
     -- The transaction on the ledger network that recorded it.
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
     -- In individual mode, the transaction that recorded it; in batch mode the batch has it.
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

  // When the ledger network was asked last about a proof that was parked; null for one that was not.
  `ALTER TABLE proof ADD COLUMN looked_at INTEGER;
   -- Why it is aside; null where the ledger network has it, and where is not known.
   ALTER TABLE proof ADD COLUMN refusal TEXT;
   DROP INDEX proof_individual;
   CREATE INDEX proof_individual ON proof (due_at, id)
     WHERE settlement_type = 'individual' AND due_at IS NOT NULL AND tx_hash IS NULL AND looked_at IS NULL;
   CREATE INDEX proof_aside ON proof (looked_at, id) WHERE looked_at IS NOT NULL;`,

  // Of a request that came to nothing no hash is left, where it was `private`.
  `UPDATE payment SET fingerprint = '' WHERE state = 'released' AND settlement_type = 'private';`,

  // The record of what was sent (D-138). A payment that an older version handed to a facilitator has a relayer.
  `CREATE TABLE payment_transaction (
     payment_id INTEGER NOT NULL,
     -- Empty where a facilitator was asked to send one.
     tx_hash TEXT NOT NULL,
     PRIMARY KEY (payment_id, tx_hash)
   ) STRICT, WITHOUT ROWID;

   INSERT INTO payment_transaction SELECT id, tx_hash FROM payment
     WHERE tx_hash IS NOT NULL AND (state IN ('submitted', 'settled') OR looked_at IS NOT NULL);
   INSERT OR IGNORE INTO payment_transaction SELECT p.id, t.hash FROM payment p
     JOIN chain_tx t ON t.relayer = p.lane AND t.relayer_nonce = p.relayer_nonce
     WHERE p.state IN ('submitted', 'settled') OR p.looked_at IS NOT NULL;
   INSERT INTO payment_transaction SELECT id, '' FROM payment WHERE state = 'executed' AND lane IS NOT NULL;`,

  // Accounts of payers without funds go (D-140).
  `DELETE FROM payer_account AS a WHERE a.pending = 0 AND a.bad_debt = 0
     AND NOT EXISTS (SELECT 1 FROM payment p WHERE p.asset = a.asset AND p.payer = a.payer);
   CREATE INDEX payment_released ON payment (updated_at) WHERE state = 'released';`,
];

/** Brings a store to the newest version, in one transaction; throws a sentence for one that is newer than this program. */
export function migrate(database: DatabaseSync, now: number): void {
  database.exec('BEGIN IMMEDIATE');
  try {
    const known = database.prepare("SELECT name FROM sqlite_schema WHERE type = 'table'").all();
    if (
      known.some(({ name }) => name === 'payment') &&
      !known.some(({ name }) => name === 'ledger_version')
    ) {
      throw new Error('the store was made before stores had versions: move the file away to start a new one');
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
