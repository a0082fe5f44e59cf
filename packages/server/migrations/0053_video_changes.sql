-- Tells listening APIs which video changed (`<workspace> <video>`), so that consoles see progress without polling. Only what a list
-- shows is sent: a heartbeat does not count as a change.
create function notify_video_change() returns trigger language plpgsql as $$
begin
  perform pg_notify('figurehead_videos', new.workspace_id || ' ' || new.id);
  return null;
end $$;

create function notify_progress() returns trigger language plpgsql as $$
begin
  perform pg_notify('figurehead_videos', new.workspace_id || ' ' || new.video_id);
  return null;
end $$;

create trigger videos_inserted after insert on videos for each row execute function notify_video_change();
create trigger videos_changed after update on videos for each row
  when (old.updated_at is distinct from new.updated_at or old.status is distinct from new.status or old.deleted is distinct from new.deleted)
  execute function notify_video_change();
create trigger renders_progressed after update on renders for each row
  when (old.progress is distinct from new.progress or old.stage is distinct from new.stage)
  execute function notify_progress();
create trigger imports_progressed after update on presentation_imports for each row
  when (old.progress is distinct from new.progress or old.stage is distinct from new.stage)
  execute function notify_progress();
