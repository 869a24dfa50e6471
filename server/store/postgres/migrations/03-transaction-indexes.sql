-- Finds settled payments by transaction, and closed nonces of the journal without reading their long rows.

CREATE INDEX payment_by_transaction ON payment (tx_hash) WHERE state = 'settled';
CREATE INDEX chain_tx_closed ON chain_tx (relayer, relayer_nonce, hash) WHERE NOT is_open;
