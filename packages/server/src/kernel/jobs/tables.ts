import type { DatabaseConnection } from '../database/database.js';
import type { QueueDefinitions } from './definitions.js';

/** Limit of one attempt; liveness is judged by heartbeats, not by duration. */
const LONGEST_JOB_SECONDS = 24 * 3600;

/** Failed and completed jobs are kept for a week for inspection. */
export const KEEP_SECONDS = 7 * 24 * 3600;

/** Not enforced: waiting jobs are kept until they are taken. */
const RETENTION_SECONDS = 14 * 24 * 3600;

/**
 * The tables `queue` and `job` with the columns of pg-boss 12.33, which earlier versions used: their databases and
 * backups have the same columns, so that nothing is converted (docs/decisions/0010).
 */
const TABLES = `
do $$
begin
  if to_regclass('boss.job') is not null then return; end if;
  create schema if not exists boss;
  create type boss.job_state as enum ('created', 'retry', 'active', 'completed', 'cancelled', 'failed');
  create table boss.queue (
    name text primary key,
    policy text not null,
    retry_limit int not null,
    retry_delay int not null,
    retry_backoff bool not null,
    retry_delay_max int,
    expire_seconds int not null,
    retention_seconds int not null,
    deletion_seconds int not null,
    dead_letter text,
    partition bool not null,
    table_name text not null,
    deferred_count int not null default 0,
    queued_count int not null default 0,
    ready_count int not null default 0,
    warning_queued int not null default 0,
    active_count int not null default 0,
    failed_count int not null default 0,
    total_count int not null default 0,
    ready_history int[] not null default '{}',
    heartbeat_seconds int,
    notify bool not null default false,
    singletons_active text[],
    monitor_claim_on timestamptz,
    monitor_on timestamptz,
    maintain_on timestamptz,
    created_on timestamptz not null default now(),
    updated_on timestamptz not null default now());
  create table boss.job (
    id uuid not null default gen_random_uuid(),
    name text not null references boss.queue (name),
    priority integer not null default 0,
    data jsonb,
    state boss.job_state not null default 'created',
    retry_limit integer not null default 2,
    retry_count integer not null default 0,
    retry_delay integer not null default 0,
    retry_backoff boolean not null default false,
    retry_delay_max integer,
    expire_seconds int not null default 900,
    deletion_seconds int not null default 604800,
    singleton_key text,
    singleton_on timestamp,
    group_id text,
    group_tier text,
    start_after timestamptz not null default now(),
    created_on timestamptz not null default now(),
    started_on timestamptz,
    completed_on timestamptz,
    keep_until timestamptz not null default now() + interval '14 days',
    output jsonb,
    dead_letter text,
    policy text,
    heartbeat_on timestamptz,
    heartbeat_seconds int,
    blocked boolean not null default false,
    blocking boolean not null default false,
    pending_dependencies int not null default 0,
    source_name text,
    source_id uuid,
    source_created_on timestamptz,
    source_retry_count int,
    primary key (name, id));
  create index job_waiting on boss.job (name, priority desc, created_on, start_after) where state < 'active' and not blocked;
end $$;
create index if not exists job_active on boss.job (heartbeat_on) where state = 'active';
create index if not exists job_ended on boss.job (completed_on) where completed_on is not null;`;

const DEFINE = `
insert into boss.queue (name, policy, retry_limit, retry_delay, retry_backoff, expire_seconds, retention_seconds, deletion_seconds,
  partition, table_name, heartbeat_seconds)
select q.name, 'standard', q.attempts - 1, 1, false, $2, $3, $4, false, 'job', q.heartbeat
from unnest($1::text[], $5::int[], $6::int[]) as q (name, attempts, heartbeat)
on conflict (name) do update set retry_limit = excluded.retry_limit, retry_delay = excluded.retry_delay,
  expire_seconds = excluded.expire_seconds, deletion_seconds = excluded.deletion_seconds,
  heartbeat_seconds = excluded.heartbeat_seconds, updated_on = now()`;

/** Creates the tables and defines the queues. The caller prevents other processes from doing it at the same time. */
export async function installQueue({ pool }: DatabaseConnection, queues: QueueDefinitions): Promise<void> {
  await pool.query(TABLES);
  const options = Object.values(queues);
  await pool.query(DEFINE, [
    Object.keys(queues),
    ...[LONGEST_JOB_SECONDS, RETENTION_SECONDS, KEEP_SECONDS],
    options.map(({ attempts }) => attempts),
    options.map(({ heartbeatSeconds }) => heartbeatSeconds),
  ]);
}
