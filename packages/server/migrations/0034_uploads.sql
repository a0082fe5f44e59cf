-- Resumable uploads (tus 1.0). What has arrived lies in objects, one a request, so that any API process can go on.
create table uploads (
  id text primary key,
  workspace_id text not null references workspaces (id) on delete cascade,
  -- Bytes, whole and so far.
  length bigint not null,
  received bigint not null default 0,
  filename text not null,
  name text,
  folder_id text,
  -- Keys of the objects in order.
  parts jsonb not null default '[]',
  -- The medium that it became.
  media_id text,
  created_at timestamptz not null,
  expires_at timestamptz not null
);
create index uploads_expiry on uploads (expires_at);
