-- Recordings of live streams are media of their workspace; their captions are a file beside them.
alter table media add column captions_key text;
alter table streams add column recording_id text references media (id) on delete set null;
