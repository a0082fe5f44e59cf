-- Operators of the installation; independent of roles in workspaces.
alter table users add column operator boolean not null default false;
-- The first account was created by the first start, for the person who installed Figurehead.
update users set operator = true where id = (select id from users order by created_at, id limit 1);
