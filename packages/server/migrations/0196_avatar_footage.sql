-- The video of the media library that an avatar is made from; null for a portrait. No foreign key: a deleted video ends the
-- making with a reason.
alter table photo_avatars add column footage_id text;
