-- How often streams end tells when a place becomes free.
create index streams_ended on streams (closed_at) where state = 'closed';
