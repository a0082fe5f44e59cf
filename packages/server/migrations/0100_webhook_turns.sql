-- Fair turns of webhooks: the one served longest ago is next. The response time of its last delivery keeps slow receivers
-- from filling all places of a sender.
alter table webhooks add column last_claimed_at timestamptz;
alter table webhooks add column last_duration_ms integer;
