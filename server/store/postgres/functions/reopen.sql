-- Takes back the settlement by a transaction that a reorganisation removed, and opens its relayer nonce again.
CREATE FUNCTION reopen(p_tx_hash text, p_stamp bigint) RETURNS SETOF payment
LANGUAGE plpgsql SET search_path = paid_inference, pg_temp AS $$
DECLARE
  ids bigint[] := ARRAY (SELECT p.id FROM payment p WHERE p.state = 'settled' AND p.tx_hash = p_tx_hash);
  t chain_tx;
  ours boolean;
  p payment;
  reopened payment;
BEGIN
  PERFORM lock_payments(ids);
  SELECT * INTO t FROM chain_tx WHERE hash = p_tx_hash;
  ours := FOUND;
  UPDATE chain_tx SET is_open = true WHERE relayer = t.relayer AND relayer_nonce = t.relayer_nonce;
  FOR p IN SELECT * FROM payment WHERE id = ANY (ids) AND state = 'settled' ORDER BY id LOOP
    -- The gateway cannot resend a third party's transaction, so any relayer may claim the payments that it
    -- settled.
    UPDATE payment SET state = CASE WHEN ours THEN 'submitted' ELSE 'executed' END,
      tx_hash = CASE WHEN ours THEN p_tx_hash END, relayer = t.relayer, relayer_nonce = t.relayer_nonce,
      block_number = NULL, block_hash = NULL, updated_at = p_stamp
      WHERE id = p.id RETURNING * INTO reopened;
    UPDATE payer_account SET pending = pending + p.amount WHERE asset = p.asset AND payer = p.payer;
    PERFORM return_to_balance(p.asset, p.payer, p.amount, p.block_number);
    UPDATE proof SET due_at = NULL WHERE payment_id = p.id;
    RETURN NEXT reopened;
  END LOOP;
END $$;
