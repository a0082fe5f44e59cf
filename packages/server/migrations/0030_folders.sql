-- Folders of videos and folders of uploaded media. What lies in a folder survives it: its videos and media lose their folder,
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
