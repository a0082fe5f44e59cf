-- Presenters made from a portrait or from footage. Their states: features/avatars/photo-avatars.ts.
create table photo_avatars (
  id text primary key,
  workspace_id text not null references workspaces (id) on delete cascade,
  name text not null,
  gender text not null check (gender in ('male', 'female', 'other')),
  status text not null default 'processing' check (status in ('processing', 'ready', 'error')),
  -- Why it could not be made, as a sentence.
  error text,
  -- [{name, x, y}], corrected by a person; null: the detected points are used.
  points jsonb,
  -- Properties of the pack, while the status is ready.
  version text,
  -- The consent of the person shown: its words, who submitted them, and when.
  consent_statement text not null,
  consent_given_by text not null,
  consent_given_at timestamptz not null,
  created_at timestamptz not null,
  updated_at timestamptz not null
);
create index photo_avatars_list on photo_avatars (workspace_id, id desc);
