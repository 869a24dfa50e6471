import { refusedStates } from '../../types/payment-states.ts';
import { forgotten } from '../rows.ts';
import { listed } from '../transitions.ts';

const inSchema = 'LANGUAGE plpgsql SET search_path = paid_inference, pg_temp';

/**
 * The functions that write proofs under a relayer's fence, and drop the proofs of payments that will never
 * settle.
 */
export const proofFunctions = `
-- The members of a batch and their order are on disk before the batch is sent.
CREATE FUNCTION form_batch(p_relayer text, p_fence bigint, p_max bigint, p_stamp bigint)
RETURNS SETOF proof ${inSchema} AS $$
DECLARE
  ids bigint[];
  batch bigint;
BEGIN
  PERFORM guard(p_relayer, p_fence);
  ids := ARRAY (SELECT p.id FROM proof p
    WHERE p.settlement_type = 'batch' AND p.due_at IS NOT NULL AND p.batch_id IS NULL
    ORDER BY p.due_at, p.id LIMIT p_max FOR UPDATE SKIP LOCKED);
  IF cardinality(ids) = 0 THEN
    RETURN;
  END IF;
  INSERT INTO proof_batch (formed_at) VALUES (p_stamp) RETURNING id INTO batch;
  RETURN QUERY UPDATE proof p SET batch_id = batch, position = m.at - 1
    FROM unnest(ids) WITH ORDINALITY AS m (id, at) WHERE p.id = m.id RETURNING p.*;
END $$;

CREATE FUNCTION record_individual(p_relayer text, p_fence bigint, p_proof_ids text[], p_hash text, p_block bigint,
  p_block_hash text) RETURNS void ${inSchema} AS $$
BEGIN
  PERFORM guard(p_relayer, p_fence);
  UPDATE proof SET tx_hash = p_hash, block_number = p_block, block_hash = p_block_hash, looked_at = NULL, refusal = NULL
    WHERE proof_id = ANY (p_proof_ids) AND settlement_type = 'individual' AND NOT is_final;
END $$;

-- Takes refused proofs out of the queue, where they would delay the proofs behind them.
CREATE FUNCTION put_aside(p_relayer text, p_fence bigint, p_proof_ids text[], p_refusal text, p_stamp bigint)
RETURNS void ${inSchema} AS $$
BEGIN
  PERFORM guard(p_relayer, p_fence);
  UPDATE proof SET looked_at = p_stamp, refusal = p_refusal
    WHERE proof_id = ANY (p_proof_ids) AND settlement_type = 'individual' AND tx_hash IS NULL;
END $$;

CREATE FUNCTION look_at_aside(p_relayer text, p_fence bigint, p_max bigint, p_looked_before bigint, p_stamp bigint)
RETURNS SETOF proof ${inSchema} AS $$
DECLARE
  ids bigint[];
BEGIN
  PERFORM guard(p_relayer, p_fence);
  ids := ARRAY (SELECT p.id FROM proof p WHERE p.looked_at < p_looked_before AND p.due_at IS NOT NULL
    ORDER BY p.looked_at, p.id LIMIT p_max);
  UPDATE proof SET looked_at = p_stamp WHERE id = ANY (ids);
  RETURN QUERY SELECT p.* FROM proof p JOIN unnest(ids) WITH ORDINALITY AS m (id, at) ON m.id = p.id ORDER BY m.at;
END $$;

CREATE FUNCTION record_batch(p_relayer text, p_fence bigint, p_batch bigint, p_hash text, p_block bigint,
  p_block_hash text) RETURNS void ${inSchema} AS $$
BEGIN
  PERFORM guard(p_relayer, p_fence);
  UPDATE proof_batch SET tx_hash = p_hash, block_number = p_block, block_hash = p_block_hash
    WHERE id = p_batch AND NOT is_final;
END $$;

CREATE FUNCTION reopen_recorded(p_relayer text, p_fence bigint, p_hash text) RETURNS void ${inSchema} AS $$
DECLARE
  batches bigint[];
  payments bigint[];
BEGIN
  PERFORM guard(p_relayer, p_fence);
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
      AND y.state IN (${listed(refusedStates)}) AND y.looked_at IS NULL));
END $$;

-- Deletes the proofs of payments that will never settle, unless the proof ledger has them. Dissolves a batch
-- that is not recorded: its other members go into the next batch.
CREATE FUNCTION drop_unpaid(p_ids bigint[]) RETURNS void ${inSchema} AS $$
DECLARE
  batches bigint[];
BEGIN
  -- Waits for a record that is being written at the same time.
  PERFORM 1 FROM proof_batch WHERE id IN (SELECT batch_id FROM proof WHERE payment_id = ANY (p_ids))
    ORDER BY id FOR UPDATE;
  WITH dropped AS (
    DELETE FROM proof p WHERE p.payment_id = ANY (p_ids) AND p.tx_hash IS NULL
      AND NOT EXISTS (SELECT 1 FROM proof_batch b WHERE b.id = p.batch_id AND b.tx_hash IS NOT NULL)
    RETURNING p.batch_id
  ) SELECT array_agg(DISTINCT batch_id) INTO batches FROM dropped WHERE batch_id IS NOT NULL;
  IF batches IS NOT NULL THEN
    UPDATE proof SET batch_id = NULL, position = NULL WHERE batch_id = ANY (batches);
    DELETE FROM proof_batch WHERE id = ANY (batches);
  END IF;
END $$;

-- Closes payments that the chain can no longer accept.
CREATE FUNCTION close_refused(p_ids bigint[]) RETURNS void ${inSchema} AS $$
DECLARE
  closed bigint[];
BEGIN
  PERFORM 1 FROM payment WHERE id = ANY (p_ids) ORDER BY id FOR UPDATE;
  WITH moved AS (
    UPDATE payment SET ${forgotten}, looked_at = NULL WHERE id = ANY (p_ids) AND looked_at IS NOT NULL RETURNING id
  ) SELECT array_agg(id) INTO closed FROM moved;
  DELETE FROM payment_transaction WHERE payment_id = ANY (closed);
  PERFORM drop_unpaid(closed);
END $$;
`;
