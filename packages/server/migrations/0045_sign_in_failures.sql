-- Wrong passwords by account and network address, so that all API processes slow down the same guesser. Logged: a crash of PostgreSQL must
-- not reset the counts. Rows older than a day have no effect and are removed.
create table sign_in_failures (
  -- SHA-256 of account and address: a stolen copy reveals no addresses.
  subject bytea primary key,
  failures integer not null,
  last_at timestamptz not null,
  blocked_until timestamptz not null
);
create index sign_in_failures_age on sign_in_failures (last_at);
