-- What a list of batches shows, also after the template was renamed or deleted.
alter table batches add column name text not null default '';
update batches set name = videos.name from videos where videos.id = batches.template_id;
create index batches_by_workspace on batches (workspace_id, created_at desc, id);
