-- Blocks the payers of these payments until the end of their remaining debts.
CREATE FUNCTION block_debtors(p_ids bigint[]) RETURNS void
LANGUAGE plpgsql SET search_path = paid_inference, pg_temp AS $$
BEGIN
  UPDATE payer_account a SET blocked_until = coalesce((SELECT max(p.debt_until) FROM payment p
      WHERE p.asset = a.asset AND p.payer = a.payer AND p.debt_until IS NOT NULL), 0)
    WHERE (a.asset, a.payer) IN (SELECT p.asset, p.payer FROM payment p WHERE p.id = ANY (p_ids));
END $$;
