import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { keepSound, openKeptSound } from '../encode/sound/kept-sound.js';
import { planTimeline, type Timeline } from '../scene/timeline/timeline.js';
import type { RenderCaches, RenderedFiles, RenderJob, Reuse } from './contract.js';
import { cachesOf } from './render-document.js';
import { type RenderPlan, readPlan, type SharedPlan, sharedPlanOf, writePlan } from './render-plan.js';
import { tallyReuse } from './reuse.js';
import { settingsOf } from './settings.js';
import type { SlideSpan } from './spans.js';
import { drawSegments, planScene } from './stages/draw-segments.js';
import { encodeSound } from './stages/encode-sound.js';
import { type MuxSegment, mux } from './stages/mux.js';
import { muxJobOf, writeFiles } from './stages/write-files.js';

/*
 * A long video, rendered by several workers: one plans it (`planDocument`) and shares the plan, any of them render its spans into a cache that they
 * share, and one joins them. The stages are those of `renderDocument`, and so are the bytes.
 */

/** Files that every worker of a spread video needs. */
export interface SharedFiles {
  /** See `SharedPlan`. */
  readonly plan: string;
  /** The whole encoded soundtrack. */
  readonly sound: string;
}

/** What a rendered span leaves. Its encoded segments are in the cache. */
export interface RenderedSpan {
  /** In order. */
  readonly segments: readonly { readonly key: string; readonly reused: boolean }[];
  readonly shotKeys: readonly string[];
  /** What was reused for each slide's pictures. */
  readonly reuse: readonly (readonly Reuse[])[];
  /** The frame, counted from the span's first, that shows its first slide at its best. */
  readonly goodFrame: number;
}

/** Encodes the sound of a planned document, and writes what other workers need into the output folder. Throws as `renderDocument`. */
export async function shareDocument(job: RenderJob, { speech, timeline }: RenderPlan): Promise<SharedFiles> {
  const { document, resources, output, signal } = job;
  const files = { plan: join(output, 'plan.json'), sound: join(output, 'sound') };
  const kept = (await cachesOf(job)).segments?.sounds;
  const settings = settingsOf(document);
  const { sound, peaks } = encodeSound({
    document,
    timeline,
    speech,
    settings,
    signal,
    kept,
    assets: resources.assets,
  });
  await writeFile(files.sound, await keepSound(sound));
  // After the sound: its peaks are known only now.
  await writePlan(files.plan, sharedPlanOf({ speech }, peaks));
  return files;
}

/** Draws and encodes a span into the cache. `plan` is the file that {@link shareDocument} wrote. Progress is of the span alone. Throws as `renderDocument`. */
export async function renderSpan(
  job: RenderJob,
  { plan, span }: { readonly plan: string; readonly span: SlideSpan },
): Promise<RenderedSpan> {
  const { onProgress } = job;
  const planned = await readPlanned(job, plan);
  const tally = tallyReuse(planned.timeline);
  const shots = await planScene({ ...planned, ...planned.job, span });
  const segments: (RenderedSpan['segments'][number] & { readonly goodFrame: number })[] = [];
  const drawn = drawSegments({
    ...planned,
    ...planned.job,
    shots,
    from: span.from,
    tally,
    onFrames: (frames) => onProgress?.({ stage: 'encoding', progress: frames / span.frames }),
  });
  for await (const { key, reused, goodFrame } of drawn) segments.push({ key, reused, goodFrame });
  return {
    segments: segments.map(({ key, reused }) => ({ key, reused })),
    shotKeys: shots.map(({ key }) => key),
    reuse: shots.map((_, index) => tally.of(span.from + index)),
    goodFrame: segments[0]?.goodFrame ?? 0,
  };
}

/** Joins rendered spans into the files that `renderDocument` gives. What the cache has lost is drawn again. Throws as `renderDocument`. */
export async function joinSpans(
  job: RenderJob,
  { plan, sound, spans }: SharedFiles & { readonly spans: readonly (SlideSpan & RenderedSpan)[] },
): Promise<RenderedFiles> {
  const planned = await readPlanned(job, plan);
  const audio = openKeptSound(await readFile(sound));
  const muxJob = muxJobOf(planned.job, planned);
  const rendered = await mux({ ...muxJob, audio, segments: segmentsOf(planned, spans) });
  return writeFiles(rendered, {
    ...planned,
    video: muxJob.out,
    shotKeys: spans.flatMap((span) => span.shotKeys),
    pictures: spans.flatMap((span) => span.reuse),
  });
}

/** A document on the video's clock, as the worker that spoke it left it. */
interface Planned extends Pick<SharedPlan, 'tracks'> {
  /** With the slides of the plan alone: only these are rendered. */
  readonly job: RenderJob;
  readonly plan: SharedPlan;
  readonly timeline: Timeline;
  readonly settings: ReturnType<typeof settingsOf>;
  readonly caches: RenderCaches;
}

async function readPlanned(job: RenderJob, file: string): Promise<Planned> {
  const plan = await readPlan(file);
  const { tracks } = plan;
  const document = { ...job.document, slides: job.document.slides.slice(0, tracks.length) };
  return {
    job: { ...job, document },
    plan,
    tracks,
    timeline: planTimeline(document, tracks),
    settings: settingsOf(document),
    caches: await cachesOf(job),
  };
}

/** Segments that are in the cache; those of one span are in memory at a time. */
async function* segmentsOf(planned: Planned, spans: readonly (SlideSpan & RenderedSpan)[]): AsyncGenerator<MuxSegment> {
  for (const span of spans) {
    const { goodFrame } = span;
    const kept = await Promise.all(
      span.segments.map(async ({ key, reused }) => {
        const segment = await planned.caches.segments?.get(key);
        return segment && { ...segment, reused, goodFrame };
      }),
    );
    const whole = kept.filter((segment) => segment !== undefined);
    if (whole.length === span.segments.length) {
      yield* whole;
      continue;
    }
    const shots = await planScene({ ...planned, ...planned.job, span });
    yield* drawSegments({ ...planned, ...planned.job, shots, from: span.from });
  }
}
