-- The next webhook to serve is found in the order of turns: without it every claim looked at the deliveries of all workspaces.
create index webhooks_turn on webhooks (last_claimed_at nulls first, workspace_id) where enabled;
