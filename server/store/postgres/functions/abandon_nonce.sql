-- Gives up a relayer nonce that the chain will never reach. Its payments become executed, and any relayer may
-- claim them.
CREATE FUNCTION abandon_nonce(p_relayer text, p_fence bigint, p_nonce bigint, p_stamp bigint) RETURNS void
LANGUAGE plpgsql SET search_path = paid_inference, pg_temp AS $$
BEGIN
  PERFORM require_lease(p_relayer, p_fence);
  PERFORM 1 FROM payment p WHERE p.state = 'submitted' AND p.relayer = p_relayer AND p.relayer_nonce = p_nonce
    ORDER BY p.id FOR UPDATE;
  UPDATE payment SET state = 'executed', tx_hash = NULL, relayer = NULL, relayer_nonce = NULL, updated_at = p_stamp
    WHERE state = 'submitted' AND relayer = p_relayer AND relayer_nonce = p_nonce;
  DELETE FROM chain_tx WHERE relayer = p_relayer AND relayer_nonce = p_nonce;
END $$;
