-- Writes the transaction that recorded proofs of individual mode on the proof ledger.
CREATE FUNCTION record_individual(p_relayer text, p_fence bigint, p_proof_ids text[], p_hash text, p_block bigint,
  p_block_hash text) RETURNS void
LANGUAGE plpgsql SET search_path = paid_inference, pg_temp AS $$
BEGIN
  PERFORM require_lease(p_relayer, p_fence);
  UPDATE proof SET tx_hash = p_hash, block_number = p_block, block_hash = p_block_hash, checked_at = NULL,
      refusal = NULL
    WHERE proof_id = ANY (p_proof_ids) AND settlement_type = 'individual' AND NOT is_final;
END $$;
