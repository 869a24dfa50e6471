-- The purchases and the authorizations that joined them (D-258). An older payment has no purchase, so nothing
-- joins it.

CREATE TABLE purchase (
  -- Of payer, token, and key or request.
  hash text COLLATE "C" PRIMARY KEY,
  -- The newest payment.
  payment_id bigint NOT NULL,
  -- True when a response with the completion was sent.
  is_delivered boolean NOT NULL DEFAULT false
) WITH (fillfactor = 80);
CREATE INDEX purchase_payment ON purchase (payment_id);

CREATE TABLE joined (
  asset text COLLATE "C" NOT NULL,
  payer text COLLATE "C" NOT NULL,
  nonce text COLLATE "C" NOT NULL,
  -- The payment that paid.
  payment_id bigint NOT NULL,
  kept_until bigint NOT NULL,
  PRIMARY KEY (asset, payer, nonce)
);
CREATE INDEX joined_payment ON joined (payment_id);
CREATE INDEX joined_kept ON joined (kept_until);
