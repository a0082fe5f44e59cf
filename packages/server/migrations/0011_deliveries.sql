-- Webhook deliveries: the queue and the log of the at-most-once sender.
-- No foreign key to webhooks: the log outlives the subscription.
create table deliveries (
  -- Also the Delivery-ID header: a row is one attempt.
  -- 24 hex characters, ordered by second.
  id text primary key
    default lpad(to_hex(extract(epoch from now())::bigint), 8, '0') || substr(replace(gen_random_uuid()::text, '-', ''), 1, 16),
  workspace_id text not null,
  event text not null check (event in ('video_ready', 'video_error')),
  -- Null for a test, whose video does not exist.
  video_id text,
  status text not null default 'pending' check (status in ('pending', 'sending', 'delivered', 'failed', 'unknown', 'dropped')),
  -- The exact bytes that are sent, frozen in the transaction of the event.
  body bytea not null,
  resend_of text,
  -- The subscription's address and the headers; after an attempt, those of the attempt.
  url text not null,
  request_headers jsonb not null default '{}',
  -- The receiver's response.
  response_status integer,
  response_excerpt text,
  error text,
  duration_ms integer,
  created_at timestamptz not null default now(),
  sent_at timestamptz,
  -- A row that is still `sending` after this time belongs to a dead process.
  lease_until timestamptz,
  finished_at timestamptz
);

-- At most one in flight per webhook, whatever the senders do.
create unique index deliveries_one_in_flight on deliveries (workspace_id) where status = 'sending';
create index deliveries_waiting on deliveries (workspace_id, created_at, id) where status = 'pending';
create index deliveries_log on deliveries (workspace_id, created_at desc, id desc);
