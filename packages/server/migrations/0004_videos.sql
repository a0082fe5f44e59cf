create table videos (
  id text primary key,
  workspace_id text not null references workspaces (id) on delete cascade,
  user_id text not null,
  name text not null,
  type text not null default 'video' check (type in ('video', 'template')),
  status text not null default 'draft'
    check (status in ('draft', 'queued', 'rendering', 'moderation', 'importing', 'ready', 'error')),
  public boolean not null default false,
  deleted boolean not null default false,
  tags text[] not null default '{}',
  folder_id text,
  data jsonb not null default '{}',
  slides jsonb not null default '[]',
  error text,
  -- The render that decides this video's status, while there is one; then the one that made its files.
  render_id text,
  duration_seconds double precision,
  -- Keys of its objects, once it is ready.
  video_key text,
  thumbnail_key text,
  subtitles_key text,
  -- The personalization batch it belongs to.
  request_id text,
  batch_row_id integer,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now()
);
create index videos_list on videos (workspace_id, id desc) where not deleted;
create index videos_status on videos (workspace_id, status, id desc);
create index videos_batch on videos (request_id) where request_id is not null;
create index videos_tags on videos using gin (tags);

-- A rendering of a frozen copy of a video. Its states: features/renders/records.
create table renders (
  id text primary key,
  workspace_id text not null references workspaces (id) on delete cascade,
  video_id text not null references videos (id) on delete cascade,
  state text not null default 'queued' check (state in ('queued', 'rendering', 'moderation', 'done', 'failed', 'cancelled')),
  -- The document as it was when rendering was requested.
  document jsonb not null,
  -- Increased by each worker that takes the render; only the holder of the latest number may finish it.
  attempt integer not null default 0,
  progress double precision not null default 0,
  stage text not null default 'queued',
  heartbeat_at timestamptz,
  -- For the reviewer: the finished files and the words that were found.
  result jsonb,
  error text,
  created_at timestamptz not null default now(),
  finished_at timestamptz
);
create index renders_open on renders (state, heartbeat_at) where state in ('queued', 'rendering', 'moderation');
create index renders_video on renders (video_id);
create index renders_moderation on renders (workspace_id, created_at) where state = 'moderation';
