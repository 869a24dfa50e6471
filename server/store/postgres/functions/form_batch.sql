-- Makes a batch of due proofs for one proof ledger. Its members and their order are on disk before the batch is sent.
CREATE FUNCTION form_batch(p_relayer text, p_fence bigint, p_ledger text, p_max bigint, p_stamp bigint)
RETURNS SETOF proof
LANGUAGE plpgsql SET search_path = paid_inference, pg_temp AS $$
DECLARE
  ids bigint[];
  batch bigint;
BEGIN
  PERFORM require_lease(p_relayer, p_fence);
  ids := ARRAY (SELECT p.id FROM proof p
    WHERE p.settlement_type = 'batch' AND p.due_at IS NOT NULL AND p.batch_id IS NULL
      AND EXISTS (SELECT 1 FROM enclave_key k WHERE k.address = p.signer AND k.ledger = p_ledger)
    ORDER BY p.due_at, p.id LIMIT p_max FOR UPDATE SKIP LOCKED);
  IF cardinality(ids) = 0 THEN
    RETURN;
  END IF;
  INSERT INTO proof_batch (formed_at, ledger) VALUES (p_stamp, p_ledger) RETURNING id INTO batch;
  RETURN QUERY UPDATE proof p SET batch_id = batch, position = m.at - 1
    FROM unnest(ids) WITH ORDINALITY AS m (id, at) WHERE p.id = m.id RETURNING p.*;
END $$;
