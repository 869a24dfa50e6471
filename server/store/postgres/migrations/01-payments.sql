-- The accounts of payers, their payments, the relayers, and the transactions of the relayers.

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
 CREATE TABLE answer_key (mark bytea NOT NULL);
