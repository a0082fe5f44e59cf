-- Earlier contents of videos, at most 50 of each.
create table video_versions (
  id text primary key,
  video_id text not null references videos (id) on delete cascade,
  -- The version of the document (videos.version), kept once.
  version integer not null,
  reason text not null,
  version_name text,
  name text not null,
  data jsonb not null,
  slides jsonb not null,
  -- When it was written, and when it was kept.
  created_at timestamptz not null,
  kept_at timestamptz not null,
  unique (video_id, version)
);
create index video_versions_age on video_versions (kept_at);
