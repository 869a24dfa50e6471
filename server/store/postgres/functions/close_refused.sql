-- Closes refused payments that the chain can no longer accept. Drops their completions and proofs.
CREATE FUNCTION close_refused(p_ids bigint[]) RETURNS void
LANGUAGE plpgsql SET search_path = paid_inference, pg_temp AS $$
DECLARE
  closed bigint[];
BEGIN
  PERFORM 1 FROM payment WHERE id = ANY (p_ids) ORDER BY id FOR UPDATE;
  WITH moved AS (
    UPDATE payment SET completion = NULL, proof = NULL, is_owed = false, checked_at = NULL,
      -- The fingerprint is a hash of the request, and nothing of a private request stays (contract 4.3).
      fingerprint = CASE WHEN settlement_type = 'private' THEN '' ELSE fingerprint END
    WHERE id = ANY (p_ids) AND checked_at IS NOT NULL RETURNING id
  ) SELECT array_agg(id) INTO closed FROM moved;
  DELETE FROM payment_transaction WHERE payment_id = ANY (closed);
  PERFORM drop_unpaid(closed);
END $$;
