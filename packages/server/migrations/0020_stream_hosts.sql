-- Processes that host live streams. A row lives as long as its process is heard of; times are the database's, so that the clocks of
-- machines need not agree.
create table stream_hosts (
  id text primary key,
  -- Where the API reaches its internal HTTP.
  url text not null,
  -- Streams that it carries at once.
  capacity integer not null check (capacity > 0),
  -- What it encodes with: `cpu`, `cuda`.
  engines text[] not null,
  version text not null,
  -- It finishes what it has and takes no new streams.
  draining boolean not null default false,
  started_at timestamptz not null default now(),
  heartbeat_at timestamptz not null default now()
);
