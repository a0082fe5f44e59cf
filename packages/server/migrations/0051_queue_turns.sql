-- Fair turns of a queue: kernel/jobs/queue-turns.ts. `turn` is the start tag of the job that was taken last.
create table queue_clocks (
  queue text primary key,
  turn integer not null
);

-- Start tag of the flow's next job.
create table queue_flows (
  queue text not null,
  flow text not null,
  next_turn integer not null,
  primary key (queue, flow)
);
