-- Whose turn it is in a queue: kernel/queue-turns.ts. `turn` is the start tag of the job that was taken last.
create table queue_clocks (
  queue text primary key,
  turn integer not null
);

-- Where the next job of a flow stands.
create table queue_flows (
  queue text not null,
  flow text not null,
  next_turn integer not null,
  primary key (queue, flow)
);
