-- Writes a transaction of a relayer before it is sent, with its payments. Raises PI001 when one of the payments
-- cannot be submitted, and PI003 when the journal has the transaction with other content.
CREATE FUNCTION submit(p_relayer text, p_fence bigint, p_ids bigint[], p_hash text, p_raw text, p_nonce bigint,
  p_stamp bigint) RETURNS void
LANGUAGE plpgsql SET search_path = paid_inference, pg_temp AS $$
DECLARE
  moved bigint;
BEGIN
  PERFORM require_lease(p_relayer, p_fence);
  PERFORM 1 FROM payment WHERE id = ANY (p_ids) ORDER BY id FOR UPDATE;
  UPDATE payment SET state = 'submitted', tx_hash = p_hash, relayer = p_relayer, relayer_nonce = p_nonce,
      updated_at = p_stamp
    WHERE id = ANY (p_ids)
      AND (state = 'executed' AND coalesce(relayer, p_relayer) = p_relayer
        OR state = 'submitted' AND relayer = p_relayer);
  GET DIAGNOSTICS moved = ROW_COUNT;
  IF moved <> cardinality(p_ids) THEN
    RAISE EXCEPTION 'not all can be submitted' USING ERRCODE = 'PI001';
  END IF;
  INSERT INTO payment_transaction (payment_id, tx_hash) SELECT unnest(p_ids), p_hash ON CONFLICT DO NOTHING;
  INSERT INTO chain_tx (hash, raw, relayer, relayer_nonce, created_at)
    VALUES (p_hash, p_raw, p_relayer, p_nonce, p_stamp) ON CONFLICT (hash) DO NOTHING;
  PERFORM 1 FROM chain_tx WHERE hash = p_hash AND raw = p_raw AND relayer = p_relayer AND relayer_nonce = p_nonce;
  IF NOT FOUND THEN
    RAISE EXCEPTION 'transaction % is in the journal with other content', p_hash
      USING ERRCODE = 'PI003';
  END IF;
END $$;
