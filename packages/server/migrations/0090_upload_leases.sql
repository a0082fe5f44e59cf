-- A complete upload becomes a medium under a lease: an API process that dies meanwhile delays the upload no longer than that.
alter table uploads
  add column lease_id text,
  add column lease_until timestamptz;
-- Before, an empty value meant that a process was finishing it.
update uploads set media_id = null where media_id = '';
