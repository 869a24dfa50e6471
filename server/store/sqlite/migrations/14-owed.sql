-- Payments whose settlement begins while the model writes (D-272). An older version reads such a payment as one
-- whose completion was dropped.

-- 1 while the gateway owes the completion.
ALTER TABLE payment ADD COLUMN is_owed INTEGER NOT NULL DEFAULT 0;
-- How many runs began after the first one.
ALTER TABLE payment ADD COLUMN owed_runs INTEGER NOT NULL DEFAULT 0;
CREATE INDEX payment_owed ON payment (settled_at) WHERE is_owed = 1;

-- Nothing joins a payment that was released, has lost its completion or owes none any more.
DROP TRIGGER payment_forgotten;
CREATE TRIGGER payment_forgotten AFTER UPDATE OF state, completion, is_owed ON payment
WHEN NEW.completion IS NULL AND NEW.is_owed = 0
  AND (OLD.completion IS NOT NULL OR OLD.is_owed = 1 OR NEW.state = 'released')
BEGIN
  DELETE FROM purchase WHERE payment_id = NEW.id;
  DELETE FROM joined WHERE payment_id = NEW.id AND NEW.state = 'released';
END;
