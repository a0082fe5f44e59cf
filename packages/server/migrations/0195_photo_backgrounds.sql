-- What becomes of a portrait's background: as asked for while it is processing, null to let the worker decide; then what the worker did.
alter table photo_avatars add column background text check (background in ('removed', 'original'));
update photo_avatars set background = 'removed' where status = 'ready';
