-- Completions of refused payments, which are dropped for their age and for their size (D-384).
CREATE INDEX payment_refused_completion ON payment (updated_at, id)
  WHERE completion IS NOT NULL AND checked_at IS NOT NULL;
