-- Returns parked proofs for one proof ledger that were checked before a time, least recently checked first. They
-- count as checked now.
CREATE FUNCTION read_parked(p_relayer text, p_fence bigint, p_ledger text, p_max bigint,
  p_checked_before bigint, p_stamp bigint)
RETURNS SETOF proof
LANGUAGE plpgsql SET search_path = paid_inference, pg_temp AS $$
DECLARE
  ids bigint[];
BEGIN
  PERFORM require_lease(p_relayer, p_fence);
  ids := ARRAY (SELECT p.id FROM proof p WHERE p.checked_at < p_checked_before AND p.due_at IS NOT NULL
      AND EXISTS (SELECT 1 FROM enclave_key k WHERE k.address = p.signer AND k.ledger = p_ledger)
    ORDER BY p.checked_at, p.id LIMIT p_max);
  UPDATE proof SET checked_at = p_stamp WHERE id = ANY (ids);
  RETURN QUERY SELECT p.* FROM proof p JOIN unnest(ids) WITH ORDINALITY AS m (id, at) ON m.id = p.id ORDER BY m.at;
END $$;
