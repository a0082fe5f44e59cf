-- The stream that this one was opened in place of. Of repeated and simultaneous restarts of one connection, one opens a stream.
alter table streams add column replaces text;
create unique index streams_replacing on streams (workspace_id, replaces) where state <> 'closed';
