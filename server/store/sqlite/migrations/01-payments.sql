-- The accounts of payers, their payments, the relayers, and the transactions of the relayers.

CREATE TABLE payer_account (
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

CREATE TABLE answer_key (mark BLOB NOT NULL) STRICT;
