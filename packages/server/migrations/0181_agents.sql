-- Agents that hold conversations, and their transcripts.
create table agents (
  id text primary key,
  workspace_id text not null references workspaces (id) on delete cascade,
  -- The contract's AgentSettings.
  settings jsonb not null,
  created_at timestamptz not null,
  updated_at timestamptz not null
);
create index agents_workspace on agents (workspace_id, id desc);

-- Only agents with `transcriptDays` above 0 have rows here.
create table conversations (
  id text primary key,
  agent_id text not null references agents (id) on delete cascade,
  stream_id text not null,
  -- The contract's ConversationTurn, in order.
  turns jsonb not null default '[]',
  started_at timestamptz not null,
  ended_at timestamptz
);
create index conversations_agent on conversations (agent_id, id desc);
create index conversations_started on conversations (started_at);

-- Not a reference: streams and tokens outlive their agent.
alter table streams add column agent_id text;
alter table client_tokens add column agent_id text;
