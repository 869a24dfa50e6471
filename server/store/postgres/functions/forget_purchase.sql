-- Nothing joins a payment that was released, has lost its completion or owes none any more. An authorization that
-- joined a released payment is free again.
CREATE FUNCTION forget_purchase() RETURNS trigger
LANGUAGE plpgsql SET search_path = paid_inference, pg_temp AS $$
BEGIN
  DELETE FROM purchase WHERE payment_id = OLD.id;
  IF NEW.state = 'released' THEN
    DELETE FROM joined WHERE payment_id = OLD.id;
  END IF;
  RETURN NULL;
END $$;
CREATE TRIGGER payment_forgotten AFTER UPDATE OF state, completion, is_owed ON payment FOR EACH ROW
  WHEN (NEW.completion IS NULL AND NOT NEW.is_owed
    AND (OLD.completion IS NOT NULL OR OLD.is_owed OR NEW.state = 'released'))
  EXECUTE FUNCTION forget_purchase();
