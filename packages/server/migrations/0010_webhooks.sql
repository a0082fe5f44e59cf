-- One webhook subscription per workspace (interface.md 2.4). The row goes away on unsubscribe, and the secret with it.
create table webhooks (
  workspace_id text primary key,
  -- New at every subscribe: a failure counts only against the subscription it was sent under.
  subscription_id text not null default gen_random_uuid()::text,
  url text not null,
  enabled boolean not null default true,
  failed_deliveries integer not null default 0 check (failed_deliveries >= 0),
  secret text,
  tech_email text,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now()
);
