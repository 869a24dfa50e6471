-- The record of sent transactions (D-138). A payment that an older version handed to a facilitator has a
-- relayer.

CREATE TABLE payment_transaction (
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
INSERT INTO payment_transaction SELECT id, '' FROM payment WHERE state = 'executed' AND lane IS NOT NULL;
