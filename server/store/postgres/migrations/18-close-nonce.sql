-- No change of the data: `close_nonce` locks the transactions of its nonce, and functions belong to a version (D-380).
SELECT 1;
