-- Pronunciations of words in a workspace, in the order in which they were added.
create table pronunciations (
  workspace_id text not null references workspaces (id) on delete cascade,
  position integer not null,
  word text not null,
  spoken text not null,
  -- English name of a language or a BCP 47 tag; null: in all languages.
  language text,
  primary key (workspace_id, position)
);
