-- Folders of videos and of uploaded media. Deleting a folder keeps its contents: its videos and media are in no folder then,
-- its subfolders move to the top.
create table folders (
  id text primary key,
  workspace_id text not null references workspaces (id) on delete cascade,
  kind text not null check (kind in ('videos', 'media')),
  name text not null,
  parent_id text references folders (id) on delete set null,
  created_at timestamptz not null,
  updated_at timestamptz not null
);
create index folders_list on folders (workspace_id, kind, id desc);
create index folders_children on folders (parent_id) where parent_id is not null;
