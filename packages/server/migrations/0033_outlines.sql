create table outlines (
  id text primary key,
  workspace_id text not null references workspaces (id) on delete cascade,
  title text not null,
  prompt text,
  source text,
  language text,
  -- [{id, title, summary, script?}]
  chapters jsonb not null default '[]',
  writer text check (writer in ('model', 'extracted')),
  created_at timestamptz not null,
  updated_at timestamptz not null
);
create index outlines_list on outlines (workspace_id, id desc);
