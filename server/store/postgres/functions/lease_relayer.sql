-- Gives or renews the lease of a relayer, and returns its fence. Null while another owner holds the lease.
CREATE FUNCTION lease_relayer(p_relayer text, p_owner text, p_until bigint, p_now bigint, p_stamp bigint)
RETURNS bigint
LANGUAGE plpgsql SET search_path = paid_inference, pg_temp AS $$
DECLARE
  l relayer_lease;
  held bigint;
BEGIN
  INSERT INTO relayer_lease (relayer, owner, fence, lease_until) VALUES (p_relayer, NULL, 0, 0)
    ON CONFLICT DO NOTHING;
  SELECT * INTO l FROM relayer_lease WHERE relayer = p_relayer FOR UPDATE;
  IF l.owner IS DISTINCT FROM p_owner THEN
    IF l.owner IS NOT NULL AND l.lease_until > p_now THEN
      RETURN NULL;
    END IF;
    PERFORM end_leases(ARRAY[p_relayer], p_stamp);
  END IF;
  UPDATE relayer_lease SET owner = p_owner, lease_until = p_until WHERE relayer = p_relayer
    RETURNING fence INTO held;
  RETURN held;
END $$;
