-- Makes a payment failed or expired, which withholds its completion. With p_blocked_until the payer has a debt
-- and is blocked.
CREATE FUNCTION withhold(p_id bigint, p_state text, p_from text[], p_failure text, p_blocked_until bigint,
  p_stamp bigint) RETURNS void
LANGUAGE plpgsql SET search_path = paid_inference, pg_temp AS $$
DECLARE
  p payment;
BEGIN
  PERFORM lock_payments(ARRAY[p_id]);
  SELECT * INTO p FROM payment WHERE id = p_id AND state = ANY (p_from);
  IF NOT FOUND THEN
    RAISE EXCEPTION 'the payment cannot be withheld' USING ERRCODE = 'PI001';
  END IF;
  UPDATE payment SET state = p_state, failure = p_failure, debt_until = p_blocked_until, checked_at = p_stamp,
    updated_at = p_stamp WHERE id = p_id;
  IF p.state = 'settled' THEN
    PERFORM return_to_balance(p.asset, p.payer, p.amount, p.block_number);
    UPDATE proof SET due_at = NULL WHERE payment_id = p_id;
  ELSE
    UPDATE payer_account SET pending = pending - p.amount WHERE asset = p.asset AND payer = p.payer;
  END IF;
  IF p_blocked_until IS NOT NULL THEN
    UPDATE payer_account SET bad_debt = bad_debt + p.amount,
        blocked_until = greatest(blocked_until, p_blocked_until)
      WHERE asset = p.asset AND payer = p.payer;
  END IF;
END $$;
