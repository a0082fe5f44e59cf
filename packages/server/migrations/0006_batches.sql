-- Personalization batches: one request of renderTemplate.
create table batches (
  -- The `requestId` that its caller got: 16 characters.
  id text primary key,
  workspace_id text not null references workspaces (id) on delete cascade,
  template_id text not null,
  user_id text not null,
  rows integer not null,
  email_notification boolean not null default false,
  -- Set by the process that mails the notice, so that it is sent once.
  notified_at timestamptz,
  created_at timestamptz not null default now()
);
