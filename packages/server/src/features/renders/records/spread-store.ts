import type { RenderedSpan, SlideSpan } from '@figurehead/media';
import { sql } from 'kysely';
import type { Database, Tx } from '../../../kernel/contract.js';
import type { FrozenVideo } from '../contract.js';
import type { RenderClaim } from './outcomes.js';

/** Identifies a plan of a render: the attempt that made it. */
interface PlanName {
  readonly renderId: string;
  readonly plan: number;
}

/** Identifies a span of one plan. */
export interface SpanName extends PlanName {
  readonly span: number;
}

/** A span to render, with the data its worker needs from the render. */
export interface OpenSpan extends SlideSpan {
  readonly videoId: string;
  readonly workspaceId: string;
  readonly document: FrozenVideo;
}

/** Inserts the spans of attempt `plan`. False when another attempt has claimed the render. */
export async function insertSpans(tx: Tx, { renderId, plan }: PlanName, spans: readonly SlideSpan[]): Promise<boolean> {
  const { numAffectedRows } = await sql`
    update renders set plan = ${plan} where id = ${renderId} and attempt = ${plan} and state = 'rendering'`.execute(tx);
  if (numAffectedRows !== 1n) return false;
  const rows = spans.map(({ from, to, frames }, span) => ({ span, from_slide: from, to_slide: to, frames }));
  await sql`
    insert into render_spans (render_id, plan, span, from_slide, to_slide, frames)
    select ${renderId}, ${plan}, span, from_slide, to_slide, frames
    from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) as s (span int, from_slide int, to_slide int, frames int)`.execute(
    tx,
  );
  return true;
}

/** An unfinished span of a running render. */
export async function findOpenSpan(db: Database, { renderId, plan, span }: SpanName): Promise<OpenSpan | undefined> {
  const { rows } = await sql<OpenSpan>`
    select r.video_id, r.workspace_id, r.document, s.from_slide as "from", s.to_slide as "to", s.frames
    from render_spans s join renders r on r.id = s.render_id and r.plan = s.plan
    where s.render_id = ${renderId} and s.plan = ${plan} and s.span = ${span}
      and s.result is null and r.state = 'rendering'`.execute(db);
  return rows[0];
}

/** Records the progress of a span and of the whole; false when the span is no longer needed. */
export async function heartbeatSpan(
  db: Database,
  { renderId, plan, span }: SpanName,
  report: { doneFrames: number; now: Date; share: { from: number; of: number } },
): Promise<boolean> {
  const { numAffectedRows } = await sql`
    with wanted as (
      select id from renders where id = ${renderId} and plan = ${plan} and state = 'rendering' for no key update
    ), mine as (
      update render_spans s set done_frames = greatest(s.done_frames, ${report.doneFrames}::int)
      from wanted where s.render_id = wanted.id and s.plan = ${plan} and s.span = ${span} and s.result is null returning s.render_id
    ), whole as (
      select sum(done_frames)::float8 / sum(frames) as share from render_spans
      where render_id = ${renderId} and plan = ${plan}
    )
    update renders r set stage = 'encoding', heartbeat_at = ${report.now},
      progress = greatest(r.progress, ${report.share.from}::float8 + ${report.share.of}::float8 * whole.share)
    from mine, whole where r.id = mine.render_id`.execute(db);
  return numAffectedRows === 1n;
}

/** Ends a span. `last`: it was the last open one. `lost`: it was no longer open. */
export async function finishSpan(
  tx: Tx,
  { renderId, plan, span }: SpanName,
  result: RenderedSpan,
): Promise<'done' | 'last' | 'lost'> {
  // Serialised, because two spans that end together would each consider the other unfinished.
  const { rows: wanted } = await sql`
    select 1 from renders where id = ${renderId} and plan = ${plan} and state = 'rendering' for update`.execute(tx);
  if (wanted.length === 0) return 'lost';
  const { numAffectedRows } = await sql`
    update render_spans set result = ${JSON.stringify(result)}::jsonb, done_frames = frames
    where render_id = ${renderId} and plan = ${plan} and span = ${span} and result is null`.execute(tx);
  if (numAffectedRows !== 1n) return 'lost';
  const { rows } = await sql`
    select 1 from render_spans where render_id = ${renderId} and plan = ${plan} and result is null limit 1`.execute(tx);
  return rows.length === 0 ? 'last' : 'done';
}

/** Claims the join of a plan: increments the attempt, so that only one of several joiners can end the render. */
export async function claimJoin(
  tx: Tx,
  { renderId, plan }: PlanName,
  now: Date,
): Promise<{ videoId: string; workspaceId: string; attempt: number; document: FrozenVideo } | undefined> {
  const { rows } = await sql<{ videoId: string; workspaceId: string; attempt: number; document: FrozenVideo }>`
    update renders set attempt = attempt + 1, heartbeat_at = ${now}, stage = 'joining'
    where id = ${renderId} and plan = ${plan} and state = 'rendering'
    returning video_id, workspace_id, attempt, document`.execute(tx);
  return rows[0];
}

/** The finished spans of a plan in order. */
export async function listSpans(db: Database, { renderId, plan }: PlanName): Promise<(SlideSpan & RenderedSpan)[]> {
  const { rows } = await sql<SlideSpan & { result: RenderedSpan }>`
    select from_slide as "from", to_slide as "to", frames, result from render_spans
    where render_id = ${renderId} and plan = ${plan} order by span`.execute(db);
  return rows.map(({ result, ...span }) => ({ ...span, ...result }));
}

/** True when there were any. */
export async function deleteSpans(db: Database, renderId: string): Promise<boolean> {
  const { numAffectedRows } = await sql`delete from render_spans where render_id = ${renderId}`.execute(db);
  return (numAffectedRows ?? 0n) > 0n;
}

/** An ended render that may have intermediate files. */
export interface EndedRender extends RenderClaim {
  /** Key of its published video; null without one. */
  readonly videoKey: string | null;
}

/** Some renders that ended before a time and may still have intermediate files. */
export async function findEnded(db: Database, before: Date): Promise<EndedRender[]> {
  const { rows } = await sql<EndedRender>`
    select id, video_id, workspace_id, attempt, case when state = 'done' then result ->> 'videoKey' end as video_key
    from renders where has_work and state in ('done', 'failed', 'cancelled') and finished_at < ${before}
    limit 100`.execute(db);
  return rows;
}

/** Records that the render has no intermediate files. */
export async function forgetWork(db: Database, renderId: string): Promise<void> {
  await sql`update renders set has_work = false where id = ${renderId}`.execute(db);
}
