-- Photo avatars whose person agreed that pages may have the pictures that they are drawn from.
alter table photo_avatars add column drawn_by_viewers boolean not null default false;
