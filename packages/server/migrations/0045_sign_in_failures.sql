-- Wrong passwords by account and network address, so that all API processes slow the same guesser down. Logged: a crash of PostgreSQL is no
-- new chance. Rows a day old decide nothing and are removed.
create table sign_in_failures (
  -- SHA-256 of account and address: a stolen copy says nobody's address.
  subject bytea primary key,
  failures integer not null,
  last_at timestamptz not null,
  blocked_until timestamptz not null
);
create index sign_in_failures_age on sign_in_failures (last_at);
