-- Raises PI002 unless the lease is held under this fence. Keeps the lease until the caller's transaction ends.
CREATE FUNCTION require_lease(p_relayer text, p_fence bigint) RETURNS void
LANGUAGE plpgsql SET search_path = paid_inference, pg_temp AS $$
BEGIN
  PERFORM 1 FROM relayer_lease WHERE relayer = p_relayer AND fence = p_fence AND owner IS NOT NULL FOR SHARE;
  IF NOT FOUND THEN
    RAISE EXCEPTION 'the lease is held under another fence' USING ERRCODE = 'PI002';
  END IF;
END $$;
