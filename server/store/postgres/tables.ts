/** The tables of the store, as in SQLite, but amounts are whole uint256. */
export const tables = `
CREATE TABLE payer_account (
  asset text COLLATE "C" NOT NULL,
  payer text COLLATE "C" NOT NULL,
  -- As of balance_block, less later settlements; below zero when the payer transferred tokens meanwhile.
  balance numeric(80, 0) NOT NULL DEFAULT 0,
  -- -1 when the balance was never read, or its reading is no longer valid.
  balance_block bigint NOT NULL DEFAULT -1,
  balance_read_at bigint NOT NULL DEFAULT 0,
  -- Sum of the payments that are reserved, executed or submitted.
  pending numeric(80, 0) NOT NULL DEFAULT 0 CHECK (pending >= 0),
  last_settled_block bigint NOT NULL DEFAULT -1,
  bad_debt numeric(80, 0) NOT NULL DEFAULT 0,
  blocked_until bigint NOT NULL DEFAULT 0,
  PRIMARY KEY (asset, payer)
) WITH (fillfactor = 70);

CREATE TABLE payment (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  asset text COLLATE "C" NOT NULL,
  payer text COLLATE "C" NOT NULL,
  nonce text COLLATE "C" NOT NULL,
  amount numeric(78, 0) NOT NULL,
  pay_to text COLLATE "C" NOT NULL,
  valid_after numeric(78, 0) NOT NULL,
  valid_before numeric(78, 0) NOT NULL,
  signature text COLLATE "C" NOT NULL,
  fingerprint text COLLATE "C" NOT NULL,
  settlement_type text COLLATE "C" NOT NULL,
  state text COLLATE "C" NOT NULL,
  lease_until bigint NOT NULL,
  answer bytea,
  -- The relayer that claimed the payment, and the relayer nonce of the last submission.
  lane text COLLATE "C",
  relayer_nonce bigint,
  tx_hash text COLLATE "C",
  block_number bigint,
  block_hash text COLLATE "C",
  failure text,
  created_at bigint NOT NULL,
  updated_at bigint NOT NULL,
  settled_at bigint,
  UNIQUE (asset, payer, nonce)
) WITH (fillfactor = 70);

CREATE INDEX payment_reserved ON payment (lease_until) WHERE state = 'reserved';
CREATE INDEX payment_executed ON payment (valid_before, id) WHERE state = 'executed';
CREATE INDEX payment_submitted ON payment (lane, relayer_nonce) WHERE state = 'submitted';
CREATE INDEX payment_settled ON payment (block_number) WHERE state = 'settled';
CREATE INDEX payment_answered ON payment (settled_at) WHERE answer IS NOT NULL AND settled_at IS NOT NULL;

CREATE TABLE lane (
  relayer text COLLATE "C" PRIMARY KEY,
  -- Null while no process holds the lease.
  owner text,
  fence bigint NOT NULL,
  lease_until bigint NOT NULL
);

CREATE TABLE chain_tx (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  hash text COLLATE "C" NOT NULL UNIQUE,
  raw text COLLATE "C" NOT NULL,
  relayer text COLLATE "C" NOT NULL,
  relayer_nonce bigint NOT NULL,
  -- True while the outcome of the relayer nonce is unknown.
  is_open boolean NOT NULL DEFAULT true,
  created_at bigint NOT NULL
);

CREATE INDEX chain_tx_nonce ON chain_tx (relayer, relayer_nonce);
CREATE INDEX chain_tx_open ON chain_tx (relayer, relayer_nonce) WHERE is_open;
`;

export const proofTables = `
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
`;

export const parkedProofs = `
-- When the proof ledger was last asked about a parked proof; null for a proof that is not parked.
ALTER TABLE proof ADD COLUMN looked_at bigint;
-- Why the proof is parked; null where the proof ledger has the proof in an unknown block.
ALTER TABLE proof ADD COLUMN refusal text;
DROP INDEX proof_individual;
CREATE INDEX proof_individual ON proof (due_at, id)
  WHERE settlement_type = 'individual' AND due_at IS NOT NULL AND tx_hash IS NULL AND looked_at IS NULL;
CREATE INDEX proof_aside ON proof (looked_at, id) WHERE looked_at IS NOT NULL;
`;

/** The last INSERT finds payments that an older version handed to a facilitator: they have a relayer. */
export const sentTable = `
CREATE TABLE payment_transaction (
  payment_id bigint NOT NULL,
  -- Empty where a facilitator was asked to send a transaction.
  tx_hash text COLLATE "C" NOT NULL,
  PRIMARY KEY (payment_id, tx_hash)
);

INSERT INTO payment_transaction SELECT id, tx_hash FROM payment
  WHERE tx_hash IS NOT NULL AND (state IN ('submitted', 'settled') OR looked_at IS NOT NULL);
INSERT INTO payment_transaction SELECT p.id, t.hash FROM payment p
  JOIN chain_tx t ON t.relayer = p.lane AND t.relayer_nonce = p.relayer_nonce
  WHERE p.state IN ('submitted', 'settled') OR p.looked_at IS NOT NULL ON CONFLICT DO NOTHING;
INSERT INTO payment_transaction SELECT id, '' FROM payment WHERE state = 'executed' AND lane IS NOT NULL;
`;

export const dropIdleAccounts = `
DELETE FROM payer_account a WHERE a.pending = 0 AND a.bad_debt = 0
  AND NOT EXISTS (SELECT 1 FROM payment p WHERE p.asset = a.asset AND p.payer = a.payer);
CREATE INDEX payment_released ON payment (updated_at) WHERE state = 'released';
`;
