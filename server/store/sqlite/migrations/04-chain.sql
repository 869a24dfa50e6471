-- The chain and token of the store: one row, written when the store is first opened.

CREATE TABLE ledger_chain (chain_id INTEGER NOT NULL, asset TEXT NOT NULL) STRICT;
