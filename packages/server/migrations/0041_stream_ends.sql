-- From the rate at which streams end, the API estimates when a place becomes free.
create index streams_ended on streams (closed_at) where state = 'closed';
