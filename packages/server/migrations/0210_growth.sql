-- Counting the videos of a workspace, by status or type, reads 7 bytes a video: equal keys share an entry.
create index videos_counted on videos (workspace_id, status, type) where not deleted;

-- The next delivery of a webhook is the first of this index, however many were sent before.
drop index deliveries_waiting;
create index deliveries_open on deliveries (workspace_id, status desc, created_at, id) where status in ('pending', 'sending');
