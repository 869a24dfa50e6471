-- The proof ledger for which each enclave key signs, and of each batch (D-238). A batch that is not recorded and
-- has proofs for several proof ledgers is dissolved.

-- The id of the chain and the contract; null where the attestation names none.
ALTER TABLE enclave_key ADD COLUMN ledger text COLLATE "C";
UPDATE enclave_key SET ledger = (attestation::json #>> '{ledger,chainId}') || ':' ||
  lower(attestation::json #>> '{ledger,verifyingContract}');

-- Null where an older version put proofs for several proof ledgers into the batch.
ALTER TABLE proof_batch ADD COLUMN ledger text COLLATE "C";
UPDATE proof_batch b SET ledger = (SELECT CASE count(DISTINCT k.ledger) WHEN 1 THEN min(k.ledger) END
  FROM proof p JOIN enclave_key k ON k.address = p.signer WHERE p.batch_id = b.id) WHERE NOT b.is_final;
UPDATE proof SET batch_id = NULL, position = NULL
  WHERE batch_id IN (SELECT id FROM proof_batch WHERE tx_hash IS NULL AND ledger IS NULL);
DELETE FROM proof_batch WHERE tx_hash IS NULL AND ledger IS NULL;
