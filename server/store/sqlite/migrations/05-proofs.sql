-- The enclave keys, the proofs of inference, and their batches.

ALTER TABLE payment ADD COLUMN proof BLOB;

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
CREATE INDEX proof_batch_recorded ON proof_batch (block_number) WHERE tx_hash IS NOT NULL AND is_final = 0;
