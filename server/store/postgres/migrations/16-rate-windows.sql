-- The rate limits that all gateways on the store share (D-314). They need no log: after a crash of the server the
-- windows begin anew.
CREATE UNLOGGED TABLE rate_window (
  limit_name text NOT NULL,
  limited text NOT NULL,
  ends_at bigint NOT NULL,
  -- How many requests were granted in the window.
  taken bigint NOT NULL,
  -- How many of them the last statement granted.
  granted bigint NOT NULL,
  requests_max bigint NOT NULL,
  PRIMARY KEY (limit_name, limited)
) WITH (fillfactor = 70);
CREATE INDEX rate_window_ends_at ON rate_window (ends_at);
