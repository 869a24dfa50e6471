-- Locks the accounts of these payments first and the payments second, both in order, so that no deadlock
-- occurs. Every function with several payments or accounts keeps this order.
CREATE FUNCTION lock_payments(p_ids bigint[]) RETURNS void
LANGUAGE plpgsql SET search_path = paid_inference, pg_temp AS $$
BEGIN
  PERFORM 1 FROM payer_account a
    WHERE (a.asset, a.payer) IN (SELECT p.asset, p.payer FROM payment p WHERE p.id = ANY (p_ids))
    ORDER BY a.asset, a.payer FOR UPDATE;
  PERFORM 1 FROM payment p WHERE p.id = ANY (p_ids) ORDER BY p.id FOR UPDATE;
END $$;
