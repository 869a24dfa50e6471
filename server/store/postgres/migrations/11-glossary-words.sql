-- Renames tables, columns and indexes to the words of the glossary. Also for the functions, which take states
-- and limits as parameters.

ALTER INDEX IF EXISTS ledger_version_pkey RENAME TO store_version_pkey;
ALTER TABLE ledger_chain RENAME TO store_chain;
ALTER TABLE answer_key RENAME TO completion_key;

ALTER TABLE lane RENAME TO relayer_lease;
ALTER INDEX lane_pkey RENAME TO relayer_lease_pkey;

ALTER TABLE payment RENAME COLUMN answer TO completion;
ALTER TABLE payment RENAME COLUMN lane TO relayer;
ALTER TABLE payment RENAME COLUMN owed_until TO debt_until;
ALTER TABLE payment RENAME COLUMN looked_at TO checked_at;
ALTER INDEX payment_answered RENAME TO payment_completion;
ALTER INDEX payment_owed RENAME TO payment_debt;

ALTER TABLE proof RENAME COLUMN looked_at TO checked_at;
ALTER INDEX proof_aside RENAME TO proof_parked;
