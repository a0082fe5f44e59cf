-- Whose turn it is to have a delivery sent: the webhook served longest ago. How long its last receiver took keeps slow receivers
-- from filling all places of a sender.
alter table webhooks add column last_claimed_at timestamptz;
alter table webhooks add column last_duration_ms integer;
