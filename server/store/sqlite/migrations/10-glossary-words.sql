-- Renames tables, columns and indexes to the words of the glossary. SQLite also renames the columns in the
-- indexes, and has no statement that renames an index.

ALTER TABLE ledger_chain RENAME TO store_chain;
ALTER TABLE answer_key RENAME TO completion_key;
ALTER TABLE lane RENAME TO relayer_lease;

ALTER TABLE payment RENAME COLUMN answer TO completion;
ALTER TABLE payment RENAME COLUMN lane TO relayer;
ALTER TABLE payment RENAME COLUMN owed_until TO debt_until;
ALTER TABLE payment RENAME COLUMN looked_at TO checked_at;
DROP INDEX payment_answered;
CREATE INDEX payment_completion ON payment (settled_at) WHERE completion IS NOT NULL AND settled_at IS NOT NULL;
DROP INDEX payment_owed;
CREATE INDEX payment_debt ON payment (asset, payer) WHERE debt_until IS NOT NULL;

ALTER TABLE proof RENAME COLUMN looked_at TO checked_at;
DROP INDEX proof_aside;
CREATE INDEX proof_parked ON proof (checked_at, id) WHERE checked_at IS NOT NULL;
