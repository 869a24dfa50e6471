-- Deletes the proofs of payments that will never settle, unless the proof ledger has them. Dissolves a batch
-- that is not recorded: its other members go into the next batch.
CREATE FUNCTION drop_unpaid(p_ids bigint[]) RETURNS void
LANGUAGE plpgsql SET search_path = paid_inference, pg_temp AS $$
DECLARE
  batches bigint[];
BEGIN
  -- Waits for a record that is being written at the same time.
  PERFORM 1 FROM proof_batch WHERE id IN (SELECT batch_id FROM proof WHERE payment_id = ANY (p_ids))
    ORDER BY id FOR UPDATE;
  WITH dropped AS (
    DELETE FROM proof p WHERE p.payment_id = ANY (p_ids) AND p.tx_hash IS NULL
      AND NOT EXISTS (SELECT 1 FROM proof_batch b WHERE b.id = p.batch_id AND b.tx_hash IS NOT NULL)
    RETURNING p.batch_id
  ) SELECT array_agg(DISTINCT batch_id) INTO batches FROM dropped WHERE batch_id IS NOT NULL;
  IF batches IS NOT NULL THEN
    UPDATE proof SET batch_id = NULL, position = NULL WHERE batch_id = ANY (batches);
    DELETE FROM proof_batch WHERE id = ANY (batches);
  END IF;
END $$;
