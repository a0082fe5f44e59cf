-- A list and its total read only the index, whatever the filter on status, type or name: 100 000 videos of a workspace are counted without
-- their rows. The trash has its own index, because few videos are in it.
drop index videos_list;
drop index videos_status;
create index videos_list on videos (workspace_id, id desc) include (status, type, name) where not deleted;
create index videos_trash on videos (workspace_id, id desc) where deleted;

-- Search by a part of the name. A database without these extensions, or whose owner may not create them, searches through all names of the
-- workspace instead.
do $$
begin
  create extension if not exists pg_trgm;
  create extension if not exists btree_gin;
  create index videos_names on videos using gin (workspace_id, name gin_trgm_ops) where not deleted;
exception
  when insufficient_privilege or undefined_file or feature_not_supported then
    raise notice 'videos are searched without an index: %', sqlerrm;
end
$$;
