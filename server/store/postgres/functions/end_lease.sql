-- Ends the lease of a relayer. No effect under another fence.
CREATE FUNCTION end_lease(p_relayer text, p_fence bigint, p_stamp bigint) RETURNS void
LANGUAGE plpgsql SET search_path = paid_inference, pg_temp AS $$
BEGIN
  PERFORM 1 FROM relayer_lease WHERE relayer = p_relayer AND fence = p_fence FOR UPDATE;
  IF FOUND THEN
    PERFORM end_leases(ARRAY[p_relayer], p_stamp);
  END IF;
END $$;
