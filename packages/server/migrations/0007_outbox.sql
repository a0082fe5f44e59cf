-- Whose mail it is: members of that workspace read it in the console when no SMTP server carries it.
alter table mail_outbox add column workspace_id text;
create index mail_outbox_workspace on mail_outbox (workspace_id, id desc) where workspace_id is not null;
