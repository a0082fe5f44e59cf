-- A video's folder must exist; deleting it leaves its videos without a folder.
update videos set folder_id = null
  where folder_id is not null and not exists (select 1 from folders f where f.id = videos.folder_id and f.workspace_id = videos.workspace_id);
alter table videos add foreign key (folder_id) references folders (id) on delete set null;
create index videos_folder on videos (folder_id) where folder_id is not null;
