-- Finds the payment that a new authorization for a purchase joins: the newest, if it is under way, or if its
-- completion is kept or owed and was not delivered. A retry also joins a delivered one. An undecided payment may be charged.
-- An owed payment whose last rerun failed is a refund case, and is joined no longer (`owedRunsMax` in store/owed.ts).
CREATE FUNCTION find_joinable(p_hash text, p_is_retry boolean, p_stamp bigint) RETURNS bigint
LANGUAGE plpgsql STABLE STRICT SET search_path = paid_inference, pg_temp AS $$
BEGIN
  RETURN (SELECT p.id
    FROM purchase u JOIN payment p ON p.id = u.payment_id
    WHERE u.hash = p_hash AND (p_is_retry OR NOT u.is_delivered)
      AND (p.state = 'reserved' AND p.lease_until > p_stamp
        OR (p.state IN ('executed', 'submitted', 'settled', 'final') OR p.failure = 'undecided')
          AND (p.completion IS NOT NULL OR p.is_owed AND (p.owed_runs < 5 OR p.lease_until > p_stamp))));
END $$;
