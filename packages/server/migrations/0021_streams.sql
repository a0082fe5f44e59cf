-- Live streams. Their states: features/streams/store.ts.
create table streams (
  id text primary key,
  workspace_id text not null references workspaces (id) on delete cascade,
  user_id text not null,
  -- No foreign key to stream_hosts: the stream's row outlives its host.
  host_id text not null,
  state text not null default 'opening' check (state in ('opening', 'new', 'connecting', 'connected', 'closing', 'closed')),
  -- As given by the caller.
  avatar_code text not null,
  voice_id text not null,
  voice_provider text not null,
  -- The resolved voice: {provider, voice, language}.
  voice jsonb not null,
  -- SDP with the host's candidates, once the session is open.
  offer text,
  -- Connected time by the host's latest report: the billed time.
  connected_ms bigint not null default 0,
  -- The session's latest measurements, for the metrics.
  stats jsonb,
  created_at timestamptz not null default now(),
  -- When the idle stream ends; speech postpones it.
  expires_at timestamptz not null,
  closed_at timestamptz,
  close_reason text
);
create index streams_open_of_host on streams (host_id) where state <> 'closed';
create index streams_open_of_workspace on streams (workspace_id, id desc) where state <> 'closed';
