-- The record of sent transactions (D-138). A payment that an older version handed to a facilitator has a
-- relayer. Removes the accounts of payers without funds (D-140).

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

DELETE FROM payer_account a WHERE a.pending = 0 AND a.bad_debt = 0
  AND NOT EXISTS (SELECT 1 FROM payment p WHERE p.asset = a.asset AND p.payer = a.payer);
CREATE INDEX payment_released ON payment (updated_at) WHERE state = 'released';
