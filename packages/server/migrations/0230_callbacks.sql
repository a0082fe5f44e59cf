-- Addresses that are called once when a render ends, in addition to the workspace's webhook. An import keeps its own in `request`.
alter table renders add column callback_urls jsonb not null default '[]';

-- A delivery to such an address: outside of the subscription, so that its counter, its end and its secret's absence do not concern it.
alter table deliveries add column callback boolean not null default false;
alter table deliveries drop constraint deliveries_event_check;
alter table deliveries add constraint deliveries_event_check check (event in ('video_ready', 'video_error', 'video_imported'));

-- At most one in flight per webhook, and one callback per workspace.
drop index deliveries_one_in_flight;
create unique index deliveries_one_in_flight on deliveries (workspace_id, callback) where status = 'sending';
drop index deliveries_open;
create index deliveries_open on deliveries (workspace_id, callback, status desc, created_at, id) where status in ('pending', 'sending');
create index deliveries_callbacks on deliveries (created_at, id) where callback and status = 'pending';
