-- Answers of POSTs that create, by the client's Idempotency-Key, for 24 hours.
create table idempotency_keys (
  workspace_id text not null references workspaces (id) on delete cascade,
  -- SHA-256, hex, of the client token's id, if one was used, and the key.
  key_hash text not null,
  -- SHA-256, hex, of method, path, query and body.
  fingerprint text not null,
  -- The attempt that handles the request. After `locked_until`, another attempt may take over if this one has committed nothing.
  claim uuid not null,
  locked_until timestamptz not null,
  committed boolean not null default false,
  -- Null until there is an answer.
  status smallint,
  answer text,
  created_at timestamptz not null default now(),
  primary key (workspace_id, key_hash)
);
create index idempotency_keys_created on idempotency_keys (created_at);
