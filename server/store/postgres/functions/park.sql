-- Parks refused proofs, which would delay the proofs behind them in the queue.
CREATE FUNCTION park(p_relayer text, p_fence bigint, p_proof_ids text[], p_refusal text, p_stamp bigint)
RETURNS void
LANGUAGE plpgsql SET search_path = paid_inference, pg_temp AS $$
BEGIN
  PERFORM require_lease(p_relayer, p_fence);
  UPDATE proof SET checked_at = p_stamp, refusal = p_refusal
    WHERE proof_id = ANY (p_proof_ids) AND settlement_type = 'individual' AND tx_hash IS NULL;
END $$;
