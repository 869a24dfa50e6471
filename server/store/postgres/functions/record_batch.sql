-- Writes the transaction that recorded a batch on the proof ledger.
CREATE FUNCTION record_batch(p_relayer text, p_fence bigint, p_batch bigint, p_hash text, p_block bigint,
  p_block_hash text) RETURNS void
LANGUAGE plpgsql SET search_path = paid_inference, pg_temp AS $$
BEGIN
  PERFORM require_lease(p_relayer, p_fence);
  UPDATE proof_batch SET tx_hash = p_hash, block_number = p_block, block_hash = p_block_hash
    WHERE id = p_batch AND NOT is_final;
END $$;
