create table fonts (
  id text primary key,
  workspace_id text not null references workspaces (id) on delete cascade,
  name text not null,
  family text not null,
  style text not null,
  weight integer not null,
  format text not null check (format in ('ttf', 'otf', 'woff2')),
  size bigint not null,
  file_key text not null,
  created_at timestamptz not null,
  updated_at timestamptz not null
);
create index fonts_list on fonts (workspace_id, id desc);
