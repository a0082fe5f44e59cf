-- Live streams. States and who moves them: features/streams/store.ts.
create table streams (
  id text primary key,
  workspace_id text not null references workspaces (id) on delete cascade,
  user_id text not null,
  -- No key to stream_hosts: the stream's line outlives its host.
  host_id text not null,
  state text not null default 'opening' check (state in ('opening', 'new', 'connecting', 'connected', 'closing', 'closed')),
  -- As the caller named them.
  avatar_code text not null,
  voice_id text not null,
  voice_provider text not null,
  -- The voice that was found for it: {provider, voice, language}.
  voice jsonb not null,
  -- SDP with the host's candidates, once the session is open.
  offer text,
  -- Connected time as of the host's latest report: what is billed.
  connected_ms bigint not null default 0,
  -- What the session measured lately, for the metrics.
  stats jsonb,
  created_at timestamptz not null default now(),
  -- When it ends unless something more is said on it.
  expires_at timestamptz not null,
  closed_at timestamptz,
  close_reason text
);
create index streams_open_of_host on streams (host_id) where state <> 'closed';
create index streams_open_of_workspace on streams (workspace_id, id desc) where state <> 'closed';
