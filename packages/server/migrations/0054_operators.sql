-- People who run the installation, beside whatever they are in a workspace.
alter table users add column operator boolean not null default false;
-- The first person was made by the first start, for whoever installed it.
update users set operator = true where id = (select id from users order by created_at, id limit 1);
