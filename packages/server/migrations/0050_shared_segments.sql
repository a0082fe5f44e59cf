-- Encoded segments that are kept as objects, so that every worker can reuse them: features/renders/engine/shared-segments.ts.
create table segments (
  workspace_id text not null references workspaces (id) on delete cascade,
  -- Hash of everything that the bytes depend on.
  key text not null,
  bytes bigint not null,
  used_at timestamptz not null,
  primary key (workspace_id, key)
);
create index segments_used on segments (workspace_id, used_at);
