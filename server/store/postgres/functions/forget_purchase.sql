-- Nothing joins a payment that was released or has lost its completion. An authorization that joined a released
-- payment is free again.
CREATE FUNCTION forget_purchase() RETURNS trigger
LANGUAGE plpgsql SET search_path = paid_inference, pg_temp AS $$
BEGIN
  DELETE FROM purchase WHERE payment_id = OLD.id;
  IF NEW.state = 'released' THEN
    DELETE FROM joined WHERE payment_id = OLD.id;
  END IF;
  RETURN NULL;
END $$;
CREATE TRIGGER payment_forgotten AFTER UPDATE OF state, completion ON payment FOR EACH ROW
  WHEN (NEW.completion IS NULL AND (OLD.completion IS NOT NULL OR NEW.state = 'released'))
  EXECUTE FUNCTION forget_purchase();
