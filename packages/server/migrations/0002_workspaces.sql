-- Workspaces: plan, status and remaining minutes.
create table workspaces (
  id text primary key,
  name text not null,
  plan text not null check (plan in ('Free', 'Creator', 'Team', 'Enterprise', 'Corporate', 'Platinum', 'Unlimited')),
  status text not null check (status in ('free', 'trial', 'active', 'cancelled')),
  -- Remaining minutes, in milliseconds: integers, so that costs and grants add up exactly.
  balance_ms bigint not null default 0,
  allow_overlimit boolean not null default false,
  moderation text not null default 'off' check (moderation in ('off', 'flagged', 'all')),
  created_at timestamptz not null default now()
);

create table users (
  id text primary key,
  -- Lower case: an address has one account, however it is typed.
  email text not null unique check (email = lower(email)),
  name text not null,
  password_hash text not null,
  created_at timestamptz not null default now()
);

create table members (
  workspace_id text not null references workspaces (id) on delete cascade,
  user_id text not null references users (id) on delete cascade,
  role text not null check (role in ('owner', 'reviewer', 'member')),
  created_at timestamptz not null default now(),
  primary key (workspace_id, user_id)
);
create index members_user on members (user_id);

-- API tokens. Only the SHA-256 is kept: tokens are 32 random bytes, so a slow hash would add nothing.
create table tokens (
  id text primary key,
  workspace_id text not null references workspaces (id) on delete cascade,
  -- Who is responsible for the token's calls: the user who created it, or the workspace if an operator did.
  user_id text not null,
  name text not null,
  prefix text not null,
  hash bytea not null unique,
  created_at timestamptz not null default now(),
  last_used_at timestamptz,
  revoked_at timestamptz
);
create index tokens_workspace on tokens (workspace_id, created_at desc);

-- Console sessions, by the SHA-256 of the cookie's value.
create table sessions (
  id bytea primary key,
  user_id text not null references users (id) on delete cascade,
  workspace_id text not null references workspaces (id) on delete cascade,
  created_at timestamptz not null default now(),
  expires_at timestamptz not null
);
create index sessions_expiry on sessions (expires_at);
