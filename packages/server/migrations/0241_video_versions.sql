-- Increases whenever what clients can set changes: the entity tag of the document.
alter table videos add column version integer not null default 1;
