-- Claims an authorization, if the balance less everything pending covers it. An authorization for a purchase that
-- was made before joins its payment. The outcome names one of the kinds of `Reserved` in store.ts.
CREATE FUNCTION reserve(
  p_asset text, p_payer text, p_nonce text, p_amount numeric, p_pay_to text, p_valid_after numeric,
  p_valid_before numeric, p_signature text, p_fingerprint text, p_settlement_type text, p_lease_until bigint,
  p_balance numeric, p_block bigint, p_read_at bigint, p_read_after bigint, p_now bigint, p_stamp bigint,
  p_purchase text, p_is_retry boolean, p_joined_until bigint
) RETURNS TABLE (outcome text, available numeric, blocked bigint, kept payment)
LANGUAGE plpgsql SET search_path = paid_inference, pg_temp AS $$
DECLARE
  a payer_account;
  paid_by bigint;
BEGIN
  -- Puts the claims of this payer in order, over all instances.
  SELECT * INTO a FROM payer_account WHERE asset = p_asset AND payer = p_payer FOR UPDATE;
  IF NOT FOUND THEN
    -- A payer who cannot pay gets no row, because keys cost nothing (D-140).
    IF p_balance IS NULL OR p_read_at < p_read_after THEN
      outcome := 'balance-unknown'; RETURN NEXT; RETURN;
    END IF;
    IF p_balance < p_amount THEN
      available := p_balance; outcome := 'insufficient'; RETURN NEXT; RETURN;
    END IF;
    INSERT INTO payer_account (asset, payer) VALUES (p_asset, p_payer) ON CONFLICT DO NOTHING;
    SELECT * INTO a FROM payer_account WHERE asset = p_asset AND payer = p_payer FOR UPDATE;
  END IF;
  SELECT p.* INTO kept FROM payment p WHERE p.asset = p_asset AND p.payer = p_payer AND p.nonce = p_nonce;
  IF FOUND AND kept.state <> 'released' THEN
    outcome := 'known'; RETURN NEXT; RETURN;
  END IF;
  SELECT payment_id INTO paid_by FROM joined WHERE asset = p_asset AND payer = p_payer AND nonce = p_nonce;
  paid_by := coalesce(paid_by, find_joinable(p_purchase, p_is_retry, p_stamp));
  IF paid_by IS NOT NULL THEN
    SELECT p.* INTO kept FROM payment p WHERE p.id = paid_by;
    -- A key may name another request. Then nothing joins.
    IF kept.fingerprint = p_fingerprint THEN
      INSERT INTO joined VALUES (p_asset, p_payer, p_nonce, paid_by, least(p_valid_before, p_joined_until))
        ON CONFLICT DO NOTHING;
    END IF;
    outcome := 'known'; RETURN NEXT; RETURN;
  END IF;
  -- A reading older than the last settlement would count tokens that were already transferred.
  IF p_block >= a.last_settled_block
    AND (p_block > a.balance_block OR p_block = a.balance_block AND p_read_at >= a.balance_read_at) THEN
    UPDATE payer_account SET balance = p_balance, balance_block = p_block, balance_read_at = p_read_at
      WHERE asset = p_asset AND payer = p_payer RETURNING * INTO a;
  END IF;
  IF a.blocked_until > p_now THEN
    outcome := 'blocked'; blocked := a.blocked_until; RETURN NEXT; RETURN;
  END IF;
  IF a.balance_block < 0 OR a.balance_read_at < p_read_after THEN
    outcome := 'balance-unknown'; RETURN NEXT; RETURN;
  END IF;
  available := greatest(a.balance - a.pending, 0);
  IF a.balance - a.pending < p_amount THEN
    outcome := CASE
      -- The payer may have received tokens since the balance was read.
      WHEN p_block IS NULL THEN 'balance-unknown'
      WHEN p_amount - (a.balance - a.pending) <= unsettled_amount(p_asset, p_payer) THEN 'unsettled'
      ELSE 'insufficient' END;
    RETURN NEXT; RETURN;
  END IF;
  UPDATE payer_account SET pending = pending + p_amount WHERE asset = p_asset AND payer = p_payer;
  INSERT INTO payment AS p (asset, payer, nonce, amount, pay_to, valid_after, valid_before, signature, fingerprint,
      settlement_type, lease_until, state, created_at, updated_at)
    VALUES (p_asset, p_payer, p_nonce, p_amount, p_pay_to, p_valid_after, p_valid_before, p_signature,
      p_fingerprint, p_settlement_type, p_lease_until, 'reserved', p_stamp, p_stamp)
    -- The new claim gets a new id, so that a late holder of the last claim cannot write to the new one.
    ON CONFLICT (asset, payer, nonce) DO UPDATE SET id = DEFAULT, state = 'reserved', amount = excluded.amount,
      pay_to = excluded.pay_to, valid_after = excluded.valid_after, valid_before = excluded.valid_before,
      signature = excluded.signature, fingerprint = excluded.fingerprint,
      settlement_type = excluded.settlement_type, lease_until = excluded.lease_until, owed_runs = 0,
      created_at = excluded.created_at, updated_at = excluded.updated_at
    WHERE p.state = 'released' RETURNING p.* INTO kept;
  IF NOT FOUND THEN
    RAISE EXCEPTION 'another gateway wrote the claim without a lock on the account'
      USING ERRCODE = 'serialization_failure';
  END IF;
  IF p_purchase IS NOT NULL THEN
    INSERT INTO purchase (hash, payment_id) VALUES (p_purchase, kept.id)
      ON CONFLICT (hash) DO UPDATE SET payment_id = excluded.payment_id, is_delivered = false;
  END IF;
  outcome := 'reserved'; RETURN NEXT;
END $$;
