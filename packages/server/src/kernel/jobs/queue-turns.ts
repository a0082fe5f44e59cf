import { sql } from 'kysely';
import type { Database, Tx } from '../contract.js';

/*
 * Start-time fair queueing (Goyal, Vin, Cheng: "Start-time Fair Queuing", 1997). Every job of a queue belongs to a flow, such as the
 * single videos of one workspace, and gets a turn when it is added:
 *
 *   turn = max(the queue's clock, where the flow's last job ended)      the job then ends at turn + cost
 *   clock = the highest turn that was taken so far
 *
 * Jobs are taken in the order of their turns. So every flow that has work waiting gets the same share, whoever added how much before whom;
 * a flow that was idle goes next; and nobody waits for ever, since the turns of newcomers lie behind those of all who are waiting.
 */

/** Whose turn a job uses up. */
export interface Turn {
  /** Jobs of one flow stand in line behind each other. */
  readonly flow: string;
  /** Work that the job is, in whatever unit the queue's jobs are compared by; at least 0. */
  readonly cost: number;
}

/** Draws a turn in the caller's transaction. Lower ones go first. */
export async function drawTurn(tx: Tx, queue: string, { flow, cost }: Turn): Promise<number> {
  const { rows } = await sql<{ turn: number }>`
    with clock as (select coalesce((select turn from queue_clocks where queue = ${queue}), 0) as now)
    insert into queue_flows (queue, flow, next_turn) select ${queue}, ${flow}, now + ${Math.ceil(cost)} from clock
    on conflict (queue, flow) do update
      set next_turn = greatest(queue_flows.next_turn, (select now from clock)) + ${Math.ceil(cost)}
    returning next_turn - ${Math.ceil(cost)} as turn`.execute(tx);
  return rows[0]?.turn ?? 0;
}

/** Says that a job with this turn was taken. */
export async function advanceClock(db: Database, queue: string, turn: number): Promise<void> {
  await sql`
    insert into queue_clocks (queue, turn) values (${queue}, ${turn})
    on conflict (queue) do update set turn = excluded.turn where queue_clocks.turn < excluded.turn`.execute(db);
}
