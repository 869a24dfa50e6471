-- Completions of refused payments, which are dropped for their age and for their size (D-384). The sum of their sizes reads
-- only this index, and no completion.
CREATE INDEX payment_refused_completion ON payment (updated_at, id, failure, length(completion))
  WHERE completion IS NOT NULL AND checked_at IS NOT NULL;
