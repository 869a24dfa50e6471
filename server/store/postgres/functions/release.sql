-- Releases reserved payments and returns their number. With p_expired_at, releases only those whose lease ran
-- out by then.
CREATE FUNCTION release(p_ids bigint[], p_from text[], p_expired_at bigint, p_stamp bigint) RETURNS bigint
LANGUAGE plpgsql SET search_path = paid_inference, pg_temp AS $$
DECLARE
  released bigint;
BEGIN
  PERFORM lock_payments(p_ids);
  WITH moved AS (
    UPDATE payment SET state = 'released', updated_at = p_stamp,
      -- The fingerprint is a hash of the request, and nothing of a private request stays (contract 4.3).
      fingerprint = CASE WHEN settlement_type = 'private' THEN '' ELSE fingerprint END
    WHERE id = ANY (p_ids) AND state = ANY (p_from)
      AND (p_expired_at IS NULL OR lease_until <= p_expired_at)
    RETURNING asset, payer, amount
  ), sums AS (SELECT asset, payer, sum(amount) AS amount, count(*) AS payments FROM moved GROUP BY asset, payer),
  posted AS (
    UPDATE payer_account a SET pending = a.pending - s.amount FROM sums s
    WHERE a.asset = s.asset AND a.payer = s.payer
  )
  SELECT coalesce(sum(payments), 0) INTO released FROM sums;
  RETURN released;
END $$;
