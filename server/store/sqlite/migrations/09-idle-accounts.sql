-- Removes the accounts of payers without funds (D-140).

DELETE FROM payer_account AS a WHERE a.pending = 0 AND a.bad_debt = 0
  AND NOT EXISTS (SELECT 1 FROM payment p WHERE p.asset = a.asset AND p.payer = a.payer);
CREATE INDEX payment_released ON payment (updated_at) WHERE state = 'released';
