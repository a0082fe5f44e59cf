-- Presenters made of one portrait. States and who moves them: features/avatars/photo-avatars.ts.
create table photo_avatars (
  id text primary key,
  workspace_id text not null references workspaces (id) on delete cascade,
  name text not null,
  gender text not null check (gender in ('male', 'female', 'other')),
  status text not null default 'processing' check (status in ('processing', 'ready', 'error')),
  -- Why it could not be made, for people.
  error text,
  -- [{name, x, y}] as a person has put them right; null when the portrait's own are taken.
  points jsonb,
  -- What the pack is, while the status is ready.
  version text,
  -- The words with which the person shown agreed, who passed them on, and when.
  consent_statement text not null,
  consent_given_by text not null,
  consent_given_at timestamptz not null,
  created_at timestamptz not null,
  updated_at timestamptz not null
);
create index photo_avatars_list on photo_avatars (workspace_id, id desc);
