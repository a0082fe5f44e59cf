-- A complete upload becomes a medium under a lease: an API process that dies meanwhile holds the upload up no longer than that.
alter table uploads
  add column lease_id text,
  add column lease_until timestamptz;
-- Empty meant that a process was finishing it.
update uploads set media_id = null where media_id = '';
