-- Closes a relayer nonce whose outcome is known. Raises PI003 while a payment is still submitted with it.
CREATE FUNCTION close_nonce(p_relayer text, p_fence bigint, p_nonce bigint) RETURNS void
LANGUAGE plpgsql SET search_path = paid_inference, pg_temp AS $$
DECLARE
  unfinished bigint;
BEGIN
  PERFORM require_lease(p_relayer, p_fence);
  -- A reorganisation may open the nonce again at this moment. The lock waits for it, and the payments are read afterwards.
  PERFORM 1 FROM chain_tx WHERE relayer = p_relayer AND relayer_nonce = p_nonce FOR UPDATE;
  SELECT p.id INTO unfinished FROM payment p
    WHERE p.state = 'submitted' AND p.relayer = p_relayer AND p.relayer_nonce = p_nonce LIMIT 1;
  IF FOUND THEN
    RAISE EXCEPTION 'relayer nonce % cannot be closed: payment % is still submitted with it', p_nonce, unfinished
      USING ERRCODE = 'PI003';
  END IF;
  UPDATE chain_tx SET is_open = false WHERE relayer = p_relayer AND relayer_nonce = p_nonce;
END $$;
