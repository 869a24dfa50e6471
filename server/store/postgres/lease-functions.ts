import { condition } from './conditions.ts';

const inSchema = 'LANGUAGE plpgsql SET search_path = paid_inference, pg_temp';

/**
 * The relayer leases. The end of a lease raises the fence and frees the payments that were claimed under the
 * lease, in one transaction. A payment that has a relayer and is not submitted is therefore claimed under the
 * current fence. So the payment's own row tells whether the payment is free, and SKIP LOCKED checks only that
 * row after a wait.
 */
export const leaseFunctions = `
CREATE FUNCTION end_lanes(p_relayers text[], p_stamp bigint) RETURNS void ${inSchema} AS $$
BEGIN
  UPDATE lane SET owner = NULL, fence = fence + 1 WHERE relayer = ANY (p_relayers);
  UPDATE payment SET lane = NULL, updated_at = p_stamp WHERE state = 'executed' AND lane = ANY (p_relayers);
END $$;

CREATE FUNCTION lease_lane(p_relayer text, p_owner text, p_until bigint, p_now bigint, p_stamp bigint)
RETURNS bigint ${inSchema} AS $$
DECLARE
  l lane;
  held bigint;
BEGIN
  INSERT INTO lane (relayer, owner, fence, lease_until) VALUES (p_relayer, NULL, 0, 0) ON CONFLICT DO NOTHING;
  SELECT * INTO l FROM lane WHERE relayer = p_relayer FOR UPDATE;
  IF l.owner IS DISTINCT FROM p_owner THEN
    IF l.owner IS NOT NULL AND l.lease_until > p_now THEN
      RETURN NULL;
    END IF;
    PERFORM end_lanes(ARRAY[p_relayer], p_stamp);
  END IF;
  UPDATE lane SET owner = p_owner, lease_until = p_until WHERE relayer = p_relayer RETURNING fence INTO held;
  RETURN held;
END $$;

CREATE FUNCTION end_lease(p_relayer text, p_fence bigint, p_stamp bigint) RETURNS void ${inSchema} AS $$
BEGIN
  PERFORM 1 FROM lane WHERE relayer = p_relayer AND fence = p_fence FOR UPDATE;
  IF FOUND THEN
    PERFORM end_lanes(ARRAY[p_relayer], p_stamp);
  END IF;
END $$;

-- Keeps the lease until the caller's transaction ends.
CREATE FUNCTION guard(p_relayer text, p_fence bigint) RETURNS void ${inSchema} AS $$
BEGIN
  PERFORM 1 FROM lane WHERE relayer = p_relayer AND fence = p_fence AND owner IS NOT NULL FOR SHARE;
  IF NOT FOUND THEN
    RAISE EXCEPTION 'the lane is held under another fence' USING ERRCODE = '${condition.staleFence}';
  END IF;
END $$;

CREATE FUNCTION claim_executed(p_relayer text, p_fence bigint, p_max bigint, p_now bigint,
  p_except text[], p_stamp bigint)
RETURNS SETOF payment ${inSchema} AS $$
DECLARE
  expired text[];
BEGIN
  PERFORM guard(p_relayer, p_fence);
  expired := ARRAY (SELECT l.relayer FROM lane l
    WHERE l.owner IS NOT NULL AND l.lease_until <= p_stamp AND l.relayer <> p_relayer FOR UPDATE SKIP LOCKED);
  IF cardinality(expired) > 0 THEN
    PERFORM end_lanes(expired, p_stamp);
  END IF;
  RETURN QUERY WITH chosen AS (
    SELECT p.id FROM payment p WHERE p.state = 'executed' AND p.lane IS NULL AND p.valid_after < p_now
      AND p.pay_to <> ALL (p_except)
    ORDER BY p.valid_before, p.id LIMIT p_max FOR UPDATE SKIP LOCKED
  ), claimed AS (
    UPDATE payment p SET lane = p_relayer, updated_at = p_stamp FROM chosen c WHERE p.id = c.id RETURNING p.*
  ) SELECT * FROM claimed ORDER BY valid_before, id;
END $$;

CREATE FUNCTION submit(p_relayer text, p_fence bigint, p_ids bigint[], p_hash text, p_raw text, p_nonce bigint,
  p_stamp bigint) RETURNS void ${inSchema} AS $$
DECLARE
  moved bigint;
BEGIN
  PERFORM guard(p_relayer, p_fence);
  PERFORM 1 FROM payment WHERE id = ANY (p_ids) ORDER BY id FOR UPDATE;
  UPDATE payment SET state = 'submitted', tx_hash = p_hash, lane = p_relayer, relayer_nonce = p_nonce,
      updated_at = p_stamp
    WHERE id = ANY (p_ids)
      AND (state = 'executed' AND coalesce(lane, p_relayer) = p_relayer OR state = 'submitted' AND lane = p_relayer);
  GET DIAGNOSTICS moved = ROW_COUNT;
  IF moved <> cardinality(p_ids) THEN
    RAISE EXCEPTION 'not all can be submitted' USING ERRCODE = '${condition.refused}';
  END IF;
  INSERT INTO payment_transaction (payment_id, tx_hash) SELECT unnest(p_ids), p_hash ON CONFLICT DO NOTHING;
  INSERT INTO chain_tx (hash, raw, relayer, relayer_nonce, created_at)
    VALUES (p_hash, p_raw, p_relayer, p_nonce, p_stamp) ON CONFLICT (hash) DO NOTHING;
  PERFORM 1 FROM chain_tx WHERE hash = p_hash AND raw = p_raw AND relayer = p_relayer AND relayer_nonce = p_nonce;
  IF NOT FOUND THEN
    RAISE EXCEPTION 'transaction % is in the journal with other content', p_hash
      USING ERRCODE = '${condition.journal}';
  END IF;
END $$;

CREATE FUNCTION requeue(p_relayer text, p_fence bigint, p_ids bigint[], p_stamp bigint) RETURNS void ${inSchema} AS $$
DECLARE
  moved bigint;
BEGIN
  PERFORM guard(p_relayer, p_fence);
  PERFORM 1 FROM payment WHERE id = ANY (p_ids) ORDER BY id FOR UPDATE;
  UPDATE payment SET state = 'executed', tx_hash = NULL, lane = NULL, relayer_nonce = NULL, updated_at = p_stamp
    WHERE id = ANY (p_ids) AND lane = p_relayer AND state IN ('submitted', 'executed');
  GET DIAGNOSTICS moved = ROW_COUNT;
  IF moved <> cardinality(p_ids) THEN
    RAISE EXCEPTION 'not all can be requeued' USING ERRCODE = '${condition.refused}';
  END IF;
END $$;

CREATE FUNCTION close_nonce(p_relayer text, p_fence bigint, p_nonce bigint) RETURNS void ${inSchema} AS $$
DECLARE
  unfinished bigint;
BEGIN
  PERFORM guard(p_relayer, p_fence);
  SELECT p.id INTO unfinished FROM payment p
    WHERE p.state = 'submitted' AND p.lane = p_relayer AND p.relayer_nonce = p_nonce LIMIT 1;
  IF FOUND THEN
    RAISE EXCEPTION 'relayer nonce % cannot be closed: payment % is still submitted with it', p_nonce, unfinished
      USING ERRCODE = '${condition.journal}';
  END IF;
  UPDATE chain_tx SET is_open = false WHERE relayer = p_relayer AND relayer_nonce = p_nonce;
END $$;

CREATE FUNCTION abandon_nonce(p_relayer text, p_fence bigint, p_nonce bigint, p_stamp bigint) RETURNS void ${inSchema} AS $$
BEGIN
  PERFORM guard(p_relayer, p_fence);
  PERFORM 1 FROM payment p WHERE p.state = 'submitted' AND p.lane = p_relayer AND p.relayer_nonce = p_nonce
    ORDER BY p.id FOR UPDATE;
  UPDATE payment SET state = 'executed', tx_hash = NULL, lane = NULL, relayer_nonce = NULL, updated_at = p_stamp
    WHERE state = 'submitted' AND lane = p_relayer AND relayer_nonce = p_nonce;
  DELETE FROM chain_tx WHERE relayer = p_relayer AND relayer_nonce = p_nonce;
END $$;
`;
