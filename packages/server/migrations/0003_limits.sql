-- Fixed windows that start at the first counted request (§8.1). UNLOGGED: after a crash of PostgreSQL the windows are
-- empty, which costs less than a WAL record for each request.
create unlogged table rate_limits (
  subject text not null,
  endpoint text not null,
  -- Milliseconds since the epoch.
  minute_start bigint not null,
  minute_count integer not null,
  hour_start bigint not null,
  hour_count integer not null,
  primary key (subject, endpoint)
);

-- Counts one request if both windows have room, in one statement: the row's lock orders concurrent callers. With `cost` 0
-- it only reads. `now_ms` comes from the caller, so that only one clock counts.
create function take_rate_limit(
  p_subject text, p_endpoint text, p_per_minute integer, p_per_hour integer, p_now_ms bigint, p_cost integer,
  out allowed boolean, out minute_count integer, out hour_count integer, out minute_start bigint, out hour_start bigint
) language plpgsql as $$
declare
  row_minute_start bigint; row_minute_count integer; row_hour_start bigint; row_hour_count integer;
begin
  if p_cost > 0 then
    insert into rate_limits as r values (p_subject, p_endpoint, p_now_ms, 0, p_now_ms, 0)
      on conflict on constraint rate_limits_pkey do nothing;
    select r.minute_start, r.minute_count, r.hour_start, r.hour_count
      into row_minute_start, row_minute_count, row_hour_start, row_hour_count
      from rate_limits r where r.subject = p_subject and r.endpoint = p_endpoint for update;
  else
    select r.minute_start, r.minute_count, r.hour_start, r.hour_count
      into row_minute_start, row_minute_count, row_hour_start, row_hour_count
      from rate_limits r where r.subject = p_subject and r.endpoint = p_endpoint;
  end if;
  -- A window without a counted request has not started; an expired one starts again with the next request.
  if row_minute_count is null or row_minute_count = 0 or p_now_ms >= row_minute_start + 60000 then
    row_minute_start := p_now_ms; row_minute_count := 0;
  end if;
  if row_hour_count is null or row_hour_count = 0 or p_now_ms >= row_hour_start + 3600000 then
    row_hour_start := p_now_ms; row_hour_count := 0;
  end if;
  allowed := row_minute_count < p_per_minute and row_hour_count < p_per_hour;
  if allowed and p_cost > 0 then
    row_minute_count := row_minute_count + p_cost;
    row_hour_count := row_hour_count + p_cost;
    update rate_limits r set minute_start = row_minute_start, minute_count = row_minute_count,
      hour_start = row_hour_start, hour_count = row_hour_count
      where r.subject = p_subject and r.endpoint = p_endpoint;
  end if;
  minute_count := row_minute_count; hour_count := row_hour_count;
  minute_start := row_minute_start; hour_start := row_hour_start;
end $$;

-- Creations that count against the rolling quotas (§8.2). Deleting the created resource does not delete its row.
create table creations (
  id bigint generated always as identity primary key,
  workspace_id text not null references workspaces (id) on delete cascade,
  entity text not null check (entity in ('videos', 'folders', 'media', 'fonts')),
  created_at timestamptz not null
);
create index creations_window on creations (workspace_id, entity, created_at desc, id desc);

-- Changes of a workspace's minutes. One row for each render or stream with a cost: the key makes charging idempotent.
create table ledger (
  id text primary key,
  workspace_id text not null references workspaces (id) on delete cascade,
  kind text not null check (kind in ('video', 'stream', 'grant')),
  -- The render, the stream, or the grant itself.
  subject_id text not null,
  -- The id that users see: of the video or the stream.
  resource_id text,
  -- Duration of the video or stream, before the rate is applied.
  length_ms bigint not null,
  -- Negative for a cost.
  amount_ms bigint not null,
  created_at timestamptz not null default now(),
  unique (kind, subject_id)
);
create index ledger_workspace on ledger (workspace_id, created_at desc, id desc);
