-- The enclave keys, the proofs of inference, and their batches.

-- The encrypted proof, as the payer got it.
ALTER TABLE payment ADD COLUMN proof bytea;

CREATE TABLE enclave_key (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  address text COLLATE "C" NOT NULL UNIQUE,
  attestation text NOT NULL,
  -- Whether the proof ledger has the key.
  is_registered boolean NOT NULL DEFAULT false,
  added_at bigint NOT NULL
);

CREATE TABLE proof_batch (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  formed_at bigint NOT NULL,
  -- The transaction that recorded the batch on the proof ledger.
  tx_hash text COLLATE "C",
  block_number bigint,
  block_hash text COLLATE "C",
  is_final boolean NOT NULL DEFAULT false
);

CREATE TABLE proof (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  payment_id bigint NOT NULL UNIQUE REFERENCES payment (id),
  proof_id text COLLATE "C" NOT NULL UNIQUE,
  input_hash text COLLATE "C" NOT NULL,
  output_hash text COLLATE "C" NOT NULL,
  model_hash text COLLATE "C" NOT NULL,
  inferred_at bigint NOT NULL,
  signer text COLLATE "C" NOT NULL,
  signature text COLLATE "C" NOT NULL,
  settlement_type text COLLATE "C" NOT NULL,
  -- When its payment settled; null while it is not settled.
  due_at bigint,
  batch_id bigint REFERENCES proof_batch (id),
  position bigint,
  -- The transaction that recorded the proof, in individual mode. In batch mode the batch has the transaction.
  tx_hash text COLLATE "C",
  block_number bigint,
  block_hash text COLLATE "C",
  is_final boolean NOT NULL DEFAULT false
) WITH (fillfactor = 70);

CREATE INDEX enclave_key_unregistered ON enclave_key (id) WHERE NOT is_registered;
CREATE INDEX proof_individual ON proof (due_at, id)
  WHERE settlement_type = 'individual' AND due_at IS NOT NULL AND tx_hash IS NULL;
CREATE INDEX proof_unbatched ON proof (due_at, id)
  WHERE settlement_type = 'batch' AND due_at IS NOT NULL AND batch_id IS NULL;
CREATE INDEX proof_member ON proof (batch_id, position) WHERE batch_id IS NOT NULL;
CREATE INDEX proof_recorded ON proof (block_number) WHERE tx_hash IS NOT NULL AND NOT is_final;
CREATE INDEX proof_batch_open ON proof_batch (id) WHERE tx_hash IS NULL;
CREATE INDEX proof_batch_recorded ON proof_batch (block_number) WHERE tx_hash IS NOT NULL AND NOT is_final;
