-- Finds the next webhook in the order of turns: without this index, every claim read the deliveries of all workspaces.
create index webhooks_turn on webhooks (last_claimed_at nulls first, workspace_id) where enabled;
