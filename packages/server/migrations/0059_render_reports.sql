-- Further results of a rendering: keys of objects, and what was reused from earlier renderings.
alter table videos
  add column srt_key text,
  add column gif_key text,
  add column lip_sync_key text,
  add column render_report jsonb;
