-- Latest reports of the processes that render. For display only: the queue distributes the work.
create table workers (
  id text primary key,
  machine text not null,
  version text not null,
  threads integer not null,
  load double precision not null,
  memory bigint not null,
  jobs jsonb not null default '[]',
  started_at timestamptz not null default now(),
  heartbeat_at timestamptz not null default now()
);
