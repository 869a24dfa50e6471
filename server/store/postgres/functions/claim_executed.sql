-- Claims executed payments for a relayer, earliest end of validity first. First frees the payments of relayers
-- whose lease ran out. SKIP LOCKED passes payments that another gateway claims at the same time.
CREATE FUNCTION claim_executed(p_relayer text, p_fence bigint, p_max bigint, p_now bigint,
  p_except text[], p_stamp bigint)
RETURNS SETOF payment
LANGUAGE plpgsql SET search_path = paid_inference, pg_temp AS $$
DECLARE
  expired text[];
BEGIN
  PERFORM require_lease(p_relayer, p_fence);
  expired := ARRAY (SELECT l.relayer FROM relayer_lease l
    WHERE l.owner IS NOT NULL AND l.lease_until <= p_stamp AND l.relayer <> p_relayer FOR UPDATE SKIP LOCKED);
  IF cardinality(expired) > 0 THEN
    PERFORM end_leases(expired, p_stamp);
  END IF;
  RETURN QUERY WITH chosen AS (
    SELECT p.id FROM payment p WHERE p.state = 'executed' AND p.relayer IS NULL AND p.valid_after < p_now
      AND p.pay_to <> ALL (p_except)
    ORDER BY p.valid_before, p.id LIMIT p_max FOR UPDATE SKIP LOCKED
  ), claimed AS (
    UPDATE payment p SET relayer = p_relayer, updated_at = p_stamp FROM chosen c WHERE p.id = c.id RETURNING p.*
  ) SELECT * FROM claimed ORDER BY valid_before, id;
END $$;
