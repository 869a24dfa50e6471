-- Undoes the change of a balance by settle, for a payment that is settled no longer. Drops a reading of that
-- block or a later one, because a reorganisation removed the block.
CREATE FUNCTION return_to_balance(p_asset text, p_payer text, p_amount numeric, p_block bigint)
RETURNS void
LANGUAGE plpgsql SET search_path = paid_inference, pg_temp AS $$
BEGIN
  UPDATE payer_account SET
    balance = CASE WHEN balance_block < p_block THEN balance + p_amount ELSE 0 END,
    balance_block = CASE WHEN balance_block < p_block THEN balance_block ELSE -1 END,
    last_settled_block = (SELECT coalesce(max(p.block_number), -1) FROM payment p
      WHERE p.asset = p_asset AND p.payer = p_payer AND p.state IN ('settled', 'final'))
  WHERE asset = p_asset AND payer = p_payer;
END $$;
