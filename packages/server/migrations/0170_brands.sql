-- Colours, fonts, logo and speaker of a workspace's videos.
create table brands (
  workspace_id text primary key references workspaces (id) on delete cascade,
  -- The contract's Brand.
  brand jsonb not null
);
