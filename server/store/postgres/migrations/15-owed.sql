-- Payments whose settlement begins while the model writes (D-272). An older version reads such a payment as one
-- whose completion was dropped.

-- True while the gateway owes the completion.
ALTER TABLE payment ADD COLUMN is_owed boolean NOT NULL DEFAULT false;
-- How many runs began after the first one.
ALTER TABLE payment ADD COLUMN owed_runs bigint NOT NULL DEFAULT 0;
CREATE INDEX payment_owed ON payment (settled_at) WHERE is_owed;
