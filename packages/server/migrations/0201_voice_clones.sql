-- Voices made from a recording. Its sound is an object; its consent is that of the person heard: the words, who submitted them, and when.
create table voice_clones (
  id text primary key,
  workspace_id text not null references workspaces (id) on delete cascade,
  name text not null,
  gender text not null check (gender in ('male', 'female')),
  language text not null,
  locale text not null,
  provider text not null,
  -- Id of the voice at the provider.
  voice text not null,
  seconds double precision not null,
  consent_statement text not null,
  consent_given_by text not null,
  created_at timestamptz not null,
  unique (provider, voice)
);
create index voice_clones_list on voice_clones (workspace_id, id desc);
