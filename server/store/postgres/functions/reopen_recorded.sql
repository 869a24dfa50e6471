-- Takes back the record of a transaction that a reorganisation of the proof ledger removed.
CREATE FUNCTION reopen_recorded(p_relayer text, p_fence bigint, p_hash text, p_refused text[])
RETURNS void
LANGUAGE plpgsql SET search_path = paid_inference, pg_temp AS $$
DECLARE
  batches bigint[];
  payments bigint[];
BEGIN
  PERFORM require_lease(p_relayer, p_fence);
  WITH reopened AS (
    UPDATE proof_batch SET tx_hash = NULL, block_number = NULL, block_hash = NULL
    WHERE tx_hash = p_hash AND NOT is_final RETURNING id
  ) SELECT array_agg(id) INTO batches FROM reopened;
  WITH reopened AS (
    UPDATE proof SET tx_hash = NULL, block_number = NULL, block_hash = NULL
    WHERE tx_hash = p_hash AND NOT is_final RETURNING payment_id
  ) SELECT array_agg(payment_id) INTO payments FROM reopened;
  -- A recorded proof stays when its payment fails. A proof is recorded again only for a paid payment.
  PERFORM drop_unpaid(ARRAY (SELECT y.id FROM payment y JOIN proof p ON p.payment_id = y.id
    WHERE (p.batch_id = ANY (batches) OR y.id = ANY (payments))
      AND y.state = ANY (p_refused) AND y.checked_at IS NULL));
END $$;
