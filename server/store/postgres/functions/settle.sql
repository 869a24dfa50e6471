-- Settles payments by a transaction on the chain, clears their debts, and makes their proofs due. Raises PI001
-- and settles none when one of them is in no state of p_from.
CREATE FUNCTION settle(p_ids bigint[], p_from text[], p_pending text[], p_tx_hash text, p_block bigint,
  p_block_hash text, p_stamp bigint) RETURNS void
LANGUAGE plpgsql SET search_path = paid_inference, pg_temp AS $$
DECLARE
  settled bigint;
  paid_debts numeric;
BEGIN
  PERFORM lock_payments(p_ids);
  WITH before AS (
    SELECT id, state, debt_until FROM payment
    WHERE id = ANY (p_ids) AND state = ANY (p_from)
  ), moved AS (
    UPDATE payment p SET state = 'settled', failure = NULL, tx_hash = p_tx_hash, block_number = p_block,
      block_hash = p_block_hash, settled_at = p_stamp, updated_at = p_stamp, debt_until = NULL, checked_at = NULL
    FROM before b WHERE p.id = b.id
    RETURNING p.asset, p.payer, p.amount, b.state = ANY (p_pending) AS was_pending,
      b.debt_until IS NOT NULL AS had_debt
  ), sums AS (
    SELECT asset, payer, count(*) AS payments, sum(amount) AS amount,
      sum(amount) FILTER (WHERE was_pending) AS pending, sum(amount) FILTER (WHERE had_debt) AS debt
    FROM moved GROUP BY asset, payer
  ), posted AS (
    -- A balance that was read before this block does not contain the transfer.
    UPDATE payer_account a SET pending = a.pending - coalesce(s.pending, 0),
      bad_debt = a.bad_debt - coalesce(s.debt, 0),
      balance = CASE WHEN a.balance_block < p_block THEN a.balance - s.amount ELSE a.balance END,
      last_settled_block = greatest(a.last_settled_block, p_block)
    FROM sums s WHERE a.asset = s.asset AND a.payer = s.payer
  )
  SELECT coalesce(sum(payments), 0), coalesce(sum(debt), 0) INTO settled, paid_debts FROM sums;
  IF settled <> cardinality(p_ids) THEN
    RAISE EXCEPTION 'not all can settle' USING ERRCODE = 'PI001';
  END IF;
  IF paid_debts > 0 THEN
    PERFORM block_debtors(p_ids);
  END IF;
  UPDATE proof SET due_at = p_stamp WHERE payment_id = ANY (p_ids);
END $$;
