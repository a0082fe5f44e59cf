-- A long video is rendered in spans of slides by all workers. Its states: features/renders/job/spread.ts.
-- `plan` is the attempt whose spans count; null while the video is rendered in one piece.
alter table renders add column plan integer;
-- Objects or spans of this render exist that must be deleted once it has ended.
alter table renders add column has_work boolean not null default false;
create index renders_work on renders (id) where has_work;

create table render_spans (
  render_id text not null references renders (id) on delete cascade,
  plan integer not null,
  -- Position in the video, from 0.
  span integer not null,
  -- Range of slides, without the last one.
  from_slide integer not null,
  to_slide integer not null,
  frames integer not null,
  done_frames integer not null default 0,
  -- Names of its encoded segments, once it is done.
  result jsonb,
  primary key (render_id, plan, span)
);
