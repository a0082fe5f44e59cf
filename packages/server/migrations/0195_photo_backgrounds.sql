-- Background of a portrait: while it is processing, the requested one, null if the worker decides; afterwards the one that was made.
alter table photo_avatars add column background text check (background in ('removed', 'original'));
update photo_avatars set background = 'removed' where status = 'ready';
