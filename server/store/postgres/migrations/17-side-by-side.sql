-- Programs of two versions work on one store (D-380). The functions of older versions stay, and each newer version
-- adds its own beside them.

-- The oldest version whose programs may open the store.
ALTER TABLE store_version ADD COLUMN oldest_program int NOT NULL DEFAULT 17;

-- The trigger belongs to the table, and every version relies on it. Nothing joins a payment that was released, has
-- lost its completion or owes none any more. An authorization that joined a released payment is free again.
CREATE OR REPLACE FUNCTION forget_purchase() RETURNS trigger
LANGUAGE plpgsql SET search_path = paid_inference, pg_temp AS $$
BEGIN
  DELETE FROM purchase WHERE payment_id = OLD.id;
  IF NEW.state = 'released' THEN
    DELETE FROM joined WHERE payment_id = OLD.id;
  END IF;
  RETURN NULL;
END $$;
DROP TRIGGER IF EXISTS payment_forgotten ON payment;
CREATE TRIGGER payment_forgotten AFTER UPDATE OF state, completion, is_owed ON payment FOR EACH ROW
  WHEN (NEW.completion IS NULL AND NOT NEW.is_owed
    AND (OLD.completion IS NOT NULL OR OLD.is_owed OR NEW.state = 'released'))
  EXECUTE FUNCTION forget_purchase();
