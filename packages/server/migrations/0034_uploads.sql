-- Resumable uploads (tus 1.0). Each request stores one object, so that any API process can continue.
create table uploads (
  id text primary key,
  workspace_id text not null references workspaces (id) on delete cascade,
  -- Bytes: in total, and received so far.
  length bigint not null,
  received bigint not null default 0,
  filename text not null,
  name text,
  folder_id text,
  -- Keys of the objects in order.
  parts jsonb not null default '[]',
  -- The medium made from it.
  media_id text,
  created_at timestamptz not null,
  expires_at timestamptz not null
);
create index uploads_expiry on uploads (expires_at);
