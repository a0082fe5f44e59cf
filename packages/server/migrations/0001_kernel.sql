-- Values that all processes of an installation share and that survive restarts, such as the keys that sign links.
create table settings (
  key text primary key,
  value jsonb not null,
  created_at timestamptz not null default now()
);

-- Mail of the installation: sent by SMTP, kept because no SMTP server is configured, or failed.
create table mail_outbox (
  id text primary key,
  recipient text not null,
  subject text not null,
  body text not null,
  status text not null check (status in ('kept', 'sent', 'failed')),
  error text,
  created_at timestamptz not null default now()
);
create index mail_outbox_created on mail_outbox (created_at desc);
