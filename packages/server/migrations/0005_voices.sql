-- Saved settings of voices: one per workspace, provider and voice.
create table voice_customizations (
  workspace_id text not null references workspaces (id) on delete cascade,
  provider text not null,
  voice text not null,
  language text not null,
  stability double precision,
  speed double precision,
  updated_at timestamptz not null default now(),
  primary key (workspace_id, provider, voice)
);
