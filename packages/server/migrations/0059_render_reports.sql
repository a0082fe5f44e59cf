-- What a rendering made beside video, thumbnail and WebVTT: keys of objects, and what it took from earlier ones.
alter table videos
  add column srt_key text,
  add column gif_key text,
  add column lip_sync_key text,
  add column render_report jsonb;
