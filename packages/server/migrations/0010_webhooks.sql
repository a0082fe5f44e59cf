-- One webhook subscription per workspace (interface.md 2.4). Unsubscribing deletes the row with its secret.
create table webhooks (
  workspace_id text primary key,
  -- New at every subscribe: a failed delivery counts only against the subscription that it was sent for.
  subscription_id text not null default gen_random_uuid()::text,
  url text not null,
  enabled boolean not null default true,
  failed_deliveries integer not null default 0 check (failed_deliveries >= 0),
  secret text,
  tech_email text,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now()
);
