-- Makes a payment with a transient failure executed again, if a new reading of the balance covers it. A debt
-- becomes pending again. Returns no row when nothing changed.
CREATE FUNCTION retry(p_id bigint, p_from text[], p_failure text, p_retries_max bigint, p_balance numeric,
  p_block bigint, p_read_at bigint, p_read_after bigint, p_stamp bigint) RETURNS SETOF payment
LANGUAGE plpgsql SET search_path = paid_inference, pg_temp AS $$
DECLARE
  a payer_account;
  p payment;
BEGIN
  PERFORM lock_payments(ARRAY[p_id]);
  SELECT * INTO p FROM payment WHERE id = p_id AND state = ANY (p_from)
    AND failure = p_failure AND retries < p_retries_max AND completion IS NOT NULL;
  IF NOT FOUND THEN
    RETURN;
  END IF;
  SELECT * INTO a FROM payer_account WHERE asset = p.asset AND payer = p.payer;
  -- The same rule as in reserve.
  IF p_block >= a.last_settled_block
    AND (p_block > a.balance_block OR p_block = a.balance_block AND p_read_at >= a.balance_read_at) THEN
    UPDATE payer_account SET balance = p_balance, balance_block = p_block, balance_read_at = p_read_at
      WHERE asset = p.asset AND payer = p.payer RETURNING * INTO a;
  END IF;
  IF a.balance_block < 0 OR a.balance_read_at < p_read_after OR a.balance - a.pending < p.amount THEN
    RETURN;
  END IF;
  RETURN QUERY UPDATE payment SET state = 'executed', failure = NULL, tx_hash = NULL, relayer = NULL,
    relayer_nonce = NULL, debt_until = NULL, checked_at = NULL, retries = retries + 1, updated_at = p_stamp
    WHERE id = p_id RETURNING *;
  UPDATE payer_account SET pending = pending + p.amount,
      bad_debt = bad_debt - CASE WHEN p.debt_until IS NULL THEN 0 ELSE p.amount END
    WHERE asset = p.asset AND payer = p.payer;
  IF p.debt_until IS NOT NULL THEN
    PERFORM block_debtors(ARRAY[p_id]);
  END IF;
END $$;
