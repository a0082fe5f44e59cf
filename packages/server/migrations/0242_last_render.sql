-- When the files of a video were ready. They stay until the next ones are, also while the video is a draft again.
alter table videos add column rendered_at timestamptz;
update videos v set rendered_at = coalesce(
  (select r.finished_at from renders r where r.id = v.render_id and r.state = 'done'), v.updated_at)
where v.video_key is not null;
-- Expiry reads the oldest first.
create index videos_rendered on videos (rendered_at) where video_key is not null and not deleted;
