-- The tables in which pg-boss 12.33 kept jobs, as databases of earlier versions have them.
create schema boss;
create type boss.job_state as enum ('created', 'retry', 'active', 'completed', 'cancelled', 'failed');
create table boss.version (
  version int primary key,
  cron_on timestamp with time zone,
  bam_on timestamp with time zone,
  flow_on timestamp with time zone,
  reindex_on timestamp with time zone,
  monitor_backoff_on timestamp with time zone
);
create table boss.queue (
  name text not null,
  policy text not null,
  retry_limit int not null,
  retry_delay int not null,
  retry_backoff bool not null,
  retry_delay_max int,
  expire_seconds int not null,
  retention_seconds int not null,
  deletion_seconds int not null,
  dead_letter text references boss.queue (name) check (dead_letter is distinct from name),
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
  monitor_claim_on timestamp with time zone,
  monitor_on timestamp with time zone,
  maintain_on timestamp with time zone,
  created_on timestamp with time zone not null default now(),
  updated_on timestamp with time zone not null default now(),
  primary key (name)
);
create table boss.job (
  id uuid not null default gen_random_uuid(),
  name text not null,
  priority integer not null default(0),
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
  singleton_on timestamp without time zone,
  group_id text,
  group_tier text,
  start_after timestamp with time zone not null default now(),
  created_on timestamp with time zone not null default now(),
  started_on timestamp with time zone,
  completed_on timestamp with time zone,
  keep_until timestamp with time zone not null default now() + interval '1209600',
  output jsonb,
  dead_letter text,
  policy text,
  heartbeat_on timestamp with time zone,
  heartbeat_seconds int,
  blocked boolean not null default false,
  blocking boolean not null default false,
  pending_dependencies int not null default 0,
  source_name text,
  source_id uuid,
  source_created_on timestamp with time zone,
  source_retry_count int
) partition by list (name);
alter table boss.job add primary key (name, id);
create table boss.job_common (like boss.job including generated including defaults);
alter table boss.job_common add primary key (name, id);
alter table boss.job_common add constraint q_fkey foreign key (name) references boss.queue (name) on delete restrict deferrable initially deferred;
alter table boss.job_common add constraint dlq_fkey foreign key (dead_letter) references boss.queue (name) on delete restrict deferrable initially deferred;
create unique index job_common_i4 on boss.job_common (name, singleton_on, coalesce(singleton_key, '')) where state <> 'cancelled' and singleton_on is not null;
create index job_common_i11 on boss.job_common (name, priority desc, created_on, start_after) where state < 'active' and not blocked;
alter table boss.job attach partition boss.job_common default;
