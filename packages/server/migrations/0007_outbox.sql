-- The workspace that the mail is for: without an SMTP server, its members read it in the console.
alter table mail_outbox add column workspace_id text;
create index mail_outbox_workspace on mail_outbox (workspace_id, id desc) where workspace_id is not null;
