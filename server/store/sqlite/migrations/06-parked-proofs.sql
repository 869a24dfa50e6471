-- The proofs that the proof ledger refuses wait outside the queue.

-- When the proof ledger was last asked about a parked proof; null for a proof that is not parked.
ALTER TABLE proof ADD COLUMN looked_at INTEGER;
-- Why the proof is parked; null where the proof ledger has the proof in an unknown block.
ALTER TABLE proof ADD COLUMN refusal TEXT;
DROP INDEX proof_individual;
CREATE INDEX proof_individual ON proof (due_at, id)
  WHERE settlement_type = 'individual' AND due_at IS NOT NULL AND tx_hash IS NULL AND looked_at IS NULL;
CREATE INDEX proof_aside ON proof (looked_at, id) WHERE looked_at IS NOT NULL;
