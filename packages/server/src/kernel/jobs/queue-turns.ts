import { sql } from 'kysely';
import type { Database, QueuePosition, Tx } from '../contract.js';

/*
 * Start-time fair queueing (Goyal, Vin, Cheng: "Start-time Fair Queuing", 1997). Every job of a queue belongs to a flow, such as the
 * single videos of one workspace, and gets a turn when it is added:
 *
 *   turn = max(the queue's clock, where the flow's last job ended)      the job then ends at turn + cost
 *   clock = the highest turn taken so far
 *
 * Jobs are taken in the order of their turns. So every flow with waiting work gets the same share, regardless of when and how
 * much was added; an idle flow goes next; and no job waits forever, because newcomers get later turns than all waiting jobs.
 */

/**
 * Assigns turns to jobs in the caller's transaction, in one statement; lower ones go first. Jobs without a turn have 0.
 * Rows of flows are locked until the transaction ends, in the order of their names, and as its last locks but one (the
 * jobs'): docs/database.md.
 */
export async function drawTurns(
  tx: Tx,
  queue: string,
  jobs: readonly { readonly turn?: QueuePosition | undefined }[],
): Promise<number[]> {
  const turns = jobs.map(() => 0);
  const drawn = jobs.flatMap(({ turn }, job) =>
    turn === undefined ? [] : [{ job, flow: turn.flow, cost: Math.ceil(turn.cost) }],
  );
  if (drawn.length === 0) return turns;
  const { rows } = await sql<{ job: number; turn: number }>`
    with clock as (select coalesce((select turn from queue_clocks where queue = ${queue}), 0) as now),
    wanted as (
      select job, flow, sum(cost) over (partition by flow order by job) - cost as before, sum(cost) over (partition by flow) as total
      from jsonb_to_recordset(${JSON.stringify(drawn)}::jsonb) as j (job integer, flow text, cost integer)),
    flows as (
      insert into queue_flows (queue, flow, next_turn)
      select distinct ${queue}, flow, now + total from wanted, clock order by flow
      on conflict (queue, flow) do update
        set next_turn = greatest(queue_flows.next_turn, (select now from clock)) + excluded.next_turn - (select now from clock)
      returning flow, next_turn)
    select w.job, (f.next_turn - w.total + w.before)::integer as turn from wanted w join flows f using (flow)`.execute(
    tx,
  );
  for (const { job, turn } of rows) turns[job] = turn;
  return turns;
}

/** Records that a job with this turn was taken. */
export async function advanceClock(db: Database, queue: string, turn: number): Promise<void> {
  await sql`
    insert into queue_clocks (queue, turn) values (${queue}, ${turn})
    on conflict (queue) do update set turn = excluded.turn where queue_clocks.turn < excluded.turn`.execute(db);
}
