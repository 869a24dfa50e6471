-- The debts of payers, the retries of failed payments, and the checks of refused payments.

ALTER TABLE payment ADD COLUMN owed_until bigint;
ALTER TABLE payment ADD COLUMN retries bigint NOT NULL DEFAULT 0;
-- When the chain was last asked about a refused payment; null where there is nothing more to ask.
ALTER TABLE payment ADD COLUMN looked_at bigint;
CREATE INDEX payment_owed ON payment (asset, payer) WHERE owed_until IS NOT NULL;
CREATE INDEX payment_refused ON payment (looked_at) WHERE looked_at IS NOT NULL;
