import { pendingStates, retriesMax, transientFailure } from '../../types/payment-states.ts';
import { forgottenRequest } from '../rows.ts';
import { listed, storeTransitions } from '../transitions.ts';
import { condition } from './conditions.ts';

const inSchema = 'LANGUAGE plpgsql SET search_path = paid_inference, pg_temp';

/**
 * The functions that change payments and accounts: one round trip each, and atomic because each is one
 * statement. Each locks accounts first and payments second, both in order, so that no deadlock occurs.
 */
export const paymentFunctions = `
CREATE FUNCTION lock_payments(ids bigint[]) RETURNS void ${inSchema} AS $$
BEGIN
  PERFORM 1 FROM payer_account a
    WHERE (a.asset, a.payer) IN (SELECT p.asset, p.payer FROM payment p WHERE p.id = ANY (ids))
    ORDER BY a.asset, a.payer FOR UPDATE;
  PERFORM 1 FROM payment p WHERE p.id = ANY (ids) ORDER BY p.id FOR UPDATE;
END $$;

-- The part of the pending sum that the chain may have taken already. That is: submitted, or claimed by a
-- relayer whose transactions the gateway cannot write down before they are sent.
CREATE FUNCTION on_their_way(p_asset text, p_payer text) RETURNS numeric ${inSchema} AS $$
BEGIN
  RETURN (SELECT coalesce(sum(p.amount), 0) FROM payment p
      WHERE p.state = 'submitted' AND p.asset = p_asset AND p.payer = p_payer)
    + (SELECT coalesce(sum(p.amount), 0) FROM payment p
      WHERE p.state = 'executed' AND p.lane IS NOT NULL AND p.asset = p_asset AND p.payer = p_payer);
END $$;

CREATE FUNCTION reserve(
  p_asset text, p_payer text, p_nonce text, p_amount numeric, p_pay_to text, p_valid_after numeric,
  p_valid_before numeric, p_signature text, p_fingerprint text, p_settlement_type text, p_lease_until bigint,
  p_balance numeric, p_block bigint, p_read_at bigint, p_read_after bigint, p_now bigint, p_stamp bigint
) RETURNS TABLE (outcome text, available numeric, blocked bigint, kept payment) ${inSchema} AS $$
DECLARE
  a payer_account;
BEGIN
  SELECT p.* INTO kept FROM payment p WHERE p.asset = p_asset AND p.payer = p_payer AND p.nonce = p_nonce;
  IF FOUND AND kept.state <> 'released' THEN
    outcome := 'known'; RETURN NEXT; RETURN;
  END IF;
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
      WHEN p_amount - (a.balance - a.pending) <= on_their_way(p_asset, p_payer) THEN 'unsettled'
      ELSE 'insufficient' END;
    RETURN NEXT; RETURN;
  END IF;
  UPDATE payer_account SET pending = pending + p_amount WHERE asset = p_asset AND payer = p_payer;
  INSERT INTO payment AS p (asset, payer, nonce, amount, pay_to, valid_after, valid_before, signature, fingerprint,
      settlement_type, lease_until, state, created_at, updated_at)
    VALUES (p_asset, p_payer, p_nonce, p_amount, p_pay_to, p_valid_after, p_valid_before, p_signature, p_fingerprint,
      p_settlement_type, p_lease_until, 'reserved', p_stamp, p_stamp)
    -- The new claim gets a new id, so that a late holder of the last claim cannot write to the new one.
    ON CONFLICT (asset, payer, nonce) DO UPDATE SET id = DEFAULT, state = 'reserved', amount = excluded.amount,
      pay_to = excluded.pay_to, valid_after = excluded.valid_after, valid_before = excluded.valid_before,
      signature = excluded.signature, fingerprint = excluded.fingerprint,
      settlement_type = excluded.settlement_type, lease_until = excluded.lease_until,
      created_at = excluded.created_at, updated_at = excluded.updated_at
    WHERE p.state = 'released' RETURNING p.* INTO kept;
  IF NOT FOUND THEN
    RAISE EXCEPTION 'a claim came between, past its account' USING ERRCODE = 'serialization_failure';
  END IF;
  outcome := 'reserved'; RETURN NEXT;
END $$;

-- Returns how many payments it released; with p_expired_at, releases only those whose lease ran out by then.
CREATE FUNCTION release(p_ids bigint[], p_expired_at bigint, p_stamp bigint) RETURNS bigint ${inSchema} AS $$
DECLARE
  released bigint;
BEGIN
  PERFORM lock_payments(p_ids);
  WITH moved AS (
    UPDATE payment SET state = 'released', ${forgottenRequest}, updated_at = p_stamp
    WHERE id = ANY (p_ids) AND state IN (${listed(storeTransitions.release.from)})
      AND (p_expired_at IS NULL OR lease_until <= p_expired_at)
    RETURNING asset, payer, amount
  ), sums AS (SELECT asset, payer, sum(amount) AS amount, count(*) AS payments FROM moved GROUP BY asset, payer),
  posted AS (
    UPDATE payer_account a SET pending = a.pending - s.amount FROM sums s
    WHERE a.asset = s.asset AND a.payer = s.payer
  )
  SELECT coalesce(sum(payments), 0) INTO released FROM sums;
  RETURN released;
END $$;

CREATE FUNCTION settle(p_ids bigint[], p_tx_hash text, p_block bigint, p_block_hash text, p_stamp bigint)
RETURNS void ${inSchema} AS $$
DECLARE
  settled bigint;
  paid_debts numeric;
BEGIN
  PERFORM lock_payments(p_ids);
  WITH before AS (
    SELECT id, state, owed_until FROM payment
    WHERE id = ANY (p_ids) AND state IN (${listed(storeTransitions.settle.from)})
  ), moved AS (
    UPDATE payment p SET state = 'settled', failure = NULL, tx_hash = p_tx_hash, block_number = p_block,
      block_hash = p_block_hash, settled_at = p_stamp, updated_at = p_stamp, owed_until = NULL, looked_at = NULL
    FROM before b WHERE p.id = b.id
    RETURNING p.asset, p.payer, p.amount, b.state IN (${listed(pendingStates)}) AS was_pending,
      b.owed_until IS NOT NULL AS was_owed
  ), sums AS (
    SELECT asset, payer, count(*) AS payments, sum(amount) AS amount,
      sum(amount) FILTER (WHERE was_pending) AS pending, sum(amount) FILTER (WHERE was_owed) AS owed
    FROM moved GROUP BY asset, payer
  ), posted AS (
    -- A balance that was read before this block does not contain the transfer.
    UPDATE payer_account a SET pending = a.pending - coalesce(s.pending, 0), bad_debt = a.bad_debt - coalesce(s.owed, 0),
      balance = CASE WHEN a.balance_block < p_block THEN a.balance - s.amount ELSE a.balance END,
      last_settled_block = greatest(a.last_settled_block, p_block)
    FROM sums s WHERE a.asset = s.asset AND a.payer = s.payer
  )
  SELECT coalesce(sum(payments), 0), coalesce(sum(owed), 0) INTO settled, paid_debts FROM sums;
  IF settled <> cardinality(p_ids) THEN
    RAISE EXCEPTION 'not all can settle' USING ERRCODE = '${condition.refused}';
  END IF;
  IF paid_debts > 0 THEN
    PERFORM hold_back_for_debts(p_ids);
  END IF;
  UPDATE proof SET due_at = p_stamp WHERE payment_id = ANY (p_ids);
END $$;

-- Blocks the payers of these payments until the end of their remaining debts.
CREATE FUNCTION hold_back_for_debts(p_ids bigint[]) RETURNS void ${inSchema} AS $$
BEGIN
  UPDATE payer_account a SET blocked_until = coalesce((SELECT max(p.owed_until) FROM payment p
      WHERE p.asset = a.asset AND p.payer = a.payer AND p.owed_until IS NOT NULL), 0)
    WHERE (a.asset, a.payer) IN (SELECT p.asset, p.payer FROM payment p WHERE p.id = ANY (p_ids));
END $$;

-- Undoes the change of a balance by settle, for a payment that is settled no longer. Drops a reading of that
-- block or a later one, because a reorganisation removed the block.
CREATE FUNCTION return_to_balance(p_asset text, p_payer text, p_amount numeric, p_block bigint)
RETURNS void ${inSchema} AS $$
BEGIN
  UPDATE payer_account SET
    balance = CASE WHEN balance_block < p_block THEN balance + p_amount ELSE 0 END,
    balance_block = CASE WHEN balance_block < p_block THEN balance_block ELSE -1 END,
    last_settled_block = (SELECT coalesce(max(p.block_number), -1) FROM payment p
      WHERE p.asset = p_asset AND p.payer = p_payer AND p.state IN ('settled', 'final'))
  WHERE asset = p_asset AND payer = p_payer;
END $$;

-- To failed or expired: withholds the completion. With p_blocked_until the payer owes the payment and is
-- blocked.
CREATE FUNCTION withhold(p_id bigint, p_state text, p_from text[], p_failure text, p_blocked_until bigint, p_stamp bigint)
RETURNS void ${inSchema} AS $$
DECLARE
  p payment;
BEGIN
  PERFORM lock_payments(ARRAY[p_id]);
  SELECT * INTO p FROM payment WHERE id = p_id AND state = ANY (p_from);
  IF NOT FOUND THEN
    RAISE EXCEPTION 'it cannot be withheld' USING ERRCODE = '${condition.refused}';
  END IF;
  UPDATE payment SET state = p_state, failure = p_failure, owed_until = p_blocked_until, looked_at = p_stamp,
    updated_at = p_stamp WHERE id = p_id;
  IF p.state = 'settled' THEN
    PERFORM return_to_balance(p.asset, p.payer, p.amount, p.block_number);
    UPDATE proof SET due_at = NULL WHERE payment_id = p_id;
  ELSE
    UPDATE payer_account SET pending = pending - p.amount WHERE asset = p.asset AND payer = p.payer;
  END IF;
  IF p_blocked_until IS NOT NULL THEN
    UPDATE payer_account SET bad_debt = bad_debt + p.amount, blocked_until = greatest(blocked_until, p_blocked_until)
      WHERE asset = p.asset AND payer = p.payer;
  END IF;
END $$;

CREATE FUNCTION retry(p_id bigint, p_balance numeric, p_block bigint, p_read_at bigint, p_read_after bigint,
  p_stamp bigint) RETURNS SETOF payment ${inSchema} AS $$
DECLARE
  a payer_account;
  p payment;
BEGIN
  PERFORM lock_payments(ARRAY[p_id]);
  SELECT * INTO p FROM payment WHERE id = p_id AND state IN (${listed(storeTransitions.retry.from)})
    AND failure = '${transientFailure}' AND retries < ${retriesMax} AND answer IS NOT NULL;
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
  RETURN QUERY UPDATE payment SET state = '${storeTransitions.retry.to}', failure = NULL, tx_hash = NULL, lane = NULL,
    relayer_nonce = NULL, owed_until = NULL, looked_at = NULL, retries = retries + 1, updated_at = p_stamp
    WHERE id = p_id RETURNING *;
  UPDATE payer_account SET pending = pending + p.amount,
      bad_debt = bad_debt - CASE WHEN p.owed_until IS NULL THEN 0 ELSE p.amount END
    WHERE asset = p.asset AND payer = p.payer;
  IF p.owed_until IS NOT NULL THEN
    PERFORM hold_back_for_debts(ARRAY[p_id]);
  END IF;
END $$;

CREATE FUNCTION reopen(p_tx_hash text, p_stamp bigint) RETURNS SETOF payment ${inSchema} AS $$
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
    UPDATE payment SET state = CASE WHEN ours THEN '${storeTransitions.reopen.to}' ELSE '${storeTransitions.requeue.to}' END,
      tx_hash = CASE WHEN ours THEN p_tx_hash END, lane = t.relayer, relayer_nonce = t.relayer_nonce,
      block_number = NULL, block_hash = NULL, updated_at = p_stamp
      WHERE id = p.id RETURNING * INTO reopened;
    UPDATE payer_account SET pending = pending + p.amount WHERE asset = p.asset AND payer = p.payer;
    PERFORM return_to_balance(p.asset, p.payer, p.amount, p.block_number);
    UPDATE proof SET due_at = NULL WHERE payment_id = p.id;
    RETURN NEXT reopened;
  END LOOP;
END $$;
`;
