-- Imported presentations. Their states: features/presentations/store.ts.
create table presentation_imports (
  id text primary key,
  workspace_id text not null references workspaces (id) on delete cascade,
  video_id text not null unique references videos (id) on delete cascade,
  state text not null default 'queued' check (state in ('queued', 'running', 'done', 'failed', 'cancelled')),
  -- The request: kind and name of the file, presenter, voice, language.
  request jsonb not null,
  -- Increased by each worker that takes the import; only the holder of the latest number may finish it.
  attempt integer not null default 0,
  progress double precision not null default 0,
  stage text not null default 'queued',
  created_at timestamptz not null default now(),
  finished_at timestamptz,
  -- Set when the pages were removed because no video shows them any more.
  removed_at timestamptz
);
create index presentation_imports_kept on presentation_imports (video_id) where removed_at is null;
