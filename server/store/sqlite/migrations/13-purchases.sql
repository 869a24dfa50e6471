-- The purchases and the authorizations that joined them (D-258). An older payment has no purchase, so nothing
-- joins it.

CREATE TABLE purchase (
  -- The newest payment.
  payment_id INTEGER PRIMARY KEY,
  -- Of payer, token, and key or request.
  hash TEXT NOT NULL UNIQUE,
  -- True when a response with the completion was sent.
  is_delivered INTEGER NOT NULL DEFAULT 0
) STRICT;

CREATE TABLE joined (
  asset TEXT NOT NULL,
  payer TEXT NOT NULL,
  nonce TEXT NOT NULL,
  -- The payment that paid.
  payment_id INTEGER NOT NULL,
  kept_until INTEGER NOT NULL,
  PRIMARY KEY (asset, payer, nonce)
) STRICT, WITHOUT ROWID;
CREATE INDEX joined_payment ON joined (payment_id);
CREATE INDEX joined_kept ON joined (kept_until);

-- Nothing joins a payment that was released or has lost its completion. An authorization that joined a released
-- payment is free again.
CREATE TRIGGER payment_forgotten AFTER UPDATE OF state, completion ON payment
WHEN NEW.completion IS NULL AND (OLD.completion IS NOT NULL OR NEW.state = 'released')
BEGIN
  DELETE FROM purchase WHERE payment_id = NEW.id;
  DELETE FROM joined WHERE payment_id = NEW.id AND NEW.state = 'released';
END;
