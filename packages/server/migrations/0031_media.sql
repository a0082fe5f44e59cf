-- Uploaded pictures, videos and sounds. States: `processing` → `ready` | `error` (features/library/media/media.ts).
create table media (
  id text primary key,
  workspace_id text not null references workspaces (id) on delete cascade,
  folder_id text references folders (id) on delete set null,
  name text not null,
  type text not null check (type in ('image', 'video', 'audio')),
  status text not null check (status in ('processing', 'ready', 'error')),
  content_type text not null,
  size bigint not null,
  -- Keys of objects: the file for slides, once ready; the upload before; a thumbnail.
  file_key text,
  original_key text,
  thumbnail_key text,
  width integer,
  height integer,
  duration_seconds double precision,
  error text,
  created_at timestamptz not null,
  updated_at timestamptz not null
);
create index media_list on media (workspace_id, id desc);
create index media_folder on media (folder_id) where folder_id is not null;
