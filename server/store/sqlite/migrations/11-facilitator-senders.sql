-- The addresses from which facilitators of this store send transactions (D-138). They outlast a change of the
-- facilitator.

CREATE TABLE facilitator_sender (address TEXT PRIMARY KEY) STRICT, WITHOUT ROWID;
