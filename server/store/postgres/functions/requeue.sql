-- Frees payments of a relayer: another transaction used their relayer nonce, or they were never sent.
CREATE FUNCTION requeue(p_relayer text, p_fence bigint, p_ids bigint[], p_stamp bigint) RETURNS void
LANGUAGE plpgsql SET search_path = paid_inference, pg_temp AS $$
DECLARE
  moved bigint;
BEGIN
  PERFORM require_lease(p_relayer, p_fence);
  PERFORM 1 FROM payment WHERE id = ANY (p_ids) ORDER BY id FOR UPDATE;
  UPDATE payment SET state = 'executed', tx_hash = NULL, relayer = NULL, relayer_nonce = NULL, updated_at = p_stamp
    WHERE id = ANY (p_ids) AND relayer = p_relayer AND state IN ('submitted', 'executed');
  GET DIAGNOSTICS moved = ROW_COUNT;
  IF moved <> cardinality(p_ids) THEN
    RAISE EXCEPTION 'not all can be requeued' USING ERRCODE = 'PI001';
  END IF;
END $$;
