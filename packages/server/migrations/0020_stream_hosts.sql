-- Processes that host live streams. A row exists as long as its process reports; times are the database's, so that the clocks of
-- machines need not agree.
create table stream_hosts (
  id text primary key,
  -- URL of its internal HTTP server.
  url text not null,
  -- Maximum number of streams at once.
  capacity integer not null check (capacity > 0),
  -- Its encoder's device: `cpu` or `cuda`.
  engines text[] not null,
  version text not null,
  -- It keeps its streams and accepts no new ones.
  draining boolean not null default false,
  started_at timestamptz not null default now(),
  heartbeat_at timestamptz not null default now()
);
