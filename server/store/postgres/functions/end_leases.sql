-- Raises the fence of each relayer and frees the payments that were claimed under its lease, in one
-- transaction. A payment that has a relayer and is not submitted is therefore claimed under the current fence.
-- So the payment's own row tells whether the payment is free, and SKIP LOCKED checks only that row after a
-- wait.
CREATE FUNCTION end_leases(p_relayers text[], p_stamp bigint) RETURNS void
LANGUAGE plpgsql SET search_path = paid_inference, pg_temp AS $$
BEGIN
  UPDATE relayer_lease SET owner = NULL, fence = fence + 1 WHERE relayer = ANY (p_relayers);
  UPDATE payment SET relayer = NULL, updated_at = p_stamp WHERE state = 'executed' AND relayer = ANY (p_relayers);
END $$;
