-- The proof ledger for which each enclave key signs, and of each batch (D-238). A batch that is not recorded and
-- has proofs for several proof ledgers is dissolved.

-- The id of the chain and the contract; null where the attestation names none.
ALTER TABLE enclave_key ADD COLUMN ledger TEXT;
UPDATE enclave_key SET ledger = json_extract(attestation, '$.ledger.chainId') || ':' ||
  lower(json_extract(attestation, '$.ledger.verifyingContract')) WHERE json_valid(attestation);

-- Null where an older version put proofs for several proof ledgers into the batch.
ALTER TABLE proof_batch ADD COLUMN ledger TEXT;
UPDATE proof_batch SET ledger = (SELECT iif(count(DISTINCT k.ledger) = 1, min(k.ledger), NULL)
  FROM proof p JOIN enclave_key k ON k.address = p.signer WHERE p.batch_id = proof_batch.id) WHERE is_final = 0;
UPDATE proof SET batch_id = NULL, position = NULL
  WHERE batch_id IN (SELECT id FROM proof_batch WHERE tx_hash IS NULL AND ledger IS NULL);
DELETE FROM proof_batch WHERE tx_hash IS NULL AND ledger IS NULL;
