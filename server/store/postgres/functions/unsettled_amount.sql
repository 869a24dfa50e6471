-- Returns the part of the pending sum that the chain may have taken already. That is: submitted, or claimed by
-- a relayer whose transactions the gateway cannot write down before they are sent.
CREATE FUNCTION unsettled_amount(p_asset text, p_payer text) RETURNS numeric
LANGUAGE plpgsql SET search_path = paid_inference, pg_temp AS $$
BEGIN
  RETURN (SELECT coalesce(sum(p.amount), 0) FROM payment p
      WHERE p.state = 'submitted' AND p.asset = p_asset AND p.payer = p_payer)
    + (SELECT coalesce(sum(p.amount), 0) FROM payment p
      WHERE p.state = 'executed' AND p.relayer IS NOT NULL AND p.asset = p_asset AND p.payer = p_payer);
END $$;
