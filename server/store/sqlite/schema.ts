/** Amounts are INTEGER: a balance is clamped to 2^62, which no price of this gateway comes near. */
export const schema = `
CREATE TABLE IF NOT EXISTS payer_account (
  asset TEXT NOT NULL,
  payer TEXT NOT NULL,
  balance INTEGER NOT NULL DEFAULT 0,
  -- The balance is known to hold everything up to this block; -1 when it was never read.
  balance_block INTEGER NOT NULL DEFAULT -1,
  balance_read_at INTEGER NOT NULL DEFAULT 0,
  -- Sum of the payments that are reserved, executed or submitted.
  pending INTEGER NOT NULL DEFAULT 0 CHECK (pending >= 0),
  last_settled_block INTEGER NOT NULL DEFAULT -1,
  PRIMARY KEY (asset, payer)
) STRICT;

CREATE TABLE IF NOT EXISTS payment (
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
  answer TEXT,
  tx_hash TEXT,
  block_number INTEGER,
  failure TEXT,
  UNIQUE (asset, payer, nonce)
) STRICT;

CREATE INDEX IF NOT EXISTS payment_unfinished ON payment (state) WHERE state IN ('reserved', 'executed', 'submitted');

CREATE TABLE IF NOT EXISTS chain_tx (
  hash TEXT PRIMARY KEY,
  payment_id INTEGER NOT NULL REFERENCES payment (id),
  raw TEXT NOT NULL,
  relayer TEXT NOT NULL,
  relayer_nonce INTEGER NOT NULL
) STRICT;

CREATE INDEX IF NOT EXISTS chain_tx_payment ON chain_tx (payment_id);
CREATE INDEX IF NOT EXISTS chain_tx_relayer ON chain_tx (relayer, relayer_nonce);
`;
