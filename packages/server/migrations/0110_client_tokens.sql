-- Tokens for web pages: each opens and controls its own streams. The token itself is signed and not stored; this row contains its limits.
create table client_tokens (
  id text primary key,
  workspace_id text not null references workspaces (id) on delete cascade,
  -- Who created it: its streams count as theirs.
  user_id text not null,
  origins text[] not null,
  avatar_code text not null,
  -- Null: the voice that suits the avatar.
  voice_id text,
  voice_provider text,
  language text,
  -- Connected time of all its streams together.
  max_ms bigint not null,
  -- Streams open at once.
  max_streams integer not null,
  created_at timestamptz not null,
  expires_at timestamptz not null,
  revoked_at timestamptz
);
create index client_tokens_workspace on client_tokens (workspace_id, id desc);
create index client_tokens_expires on client_tokens (expires_at);

alter table streams add column client_token_id text references client_tokens (id) on delete set null;
create index streams_of_client_token on streams (client_token_id) where client_token_id is not null;
