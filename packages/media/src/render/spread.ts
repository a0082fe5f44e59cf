import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { openStoredSound, serializeSound } from '../encode/sound/sound-format.js';
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
 * A long video rendered by several workers: one plans it (`planDocument`) and shares the plan, several render its spans into a shared cache, and one
 * joins them. The stages and the resulting bytes are those of `renderDocument`.
 */

/** Files that every worker of a spread video needs. */
export interface SharedFiles {
  /** See `SharedPlan`. */
  readonly plan: string;
  /** The whole encoded soundtrack. */
  readonly sound: string;
}

/** Result of a rendered span. Its encoded segments are in the cache. */
export interface RenderedSpan {
  /** In order. */
  readonly segments: readonly { readonly key: string; readonly reused: boolean }[];
  readonly shotKeys: readonly string[];
  /** Reused parts of each slide's pictures. */
  readonly reuse: readonly (readonly Reuse[])[];
  /** The most representative frame of its first slide, counted from the span's first frame. */
  readonly goodFrame: number;
}

/** Encodes the sound of a planned document, and writes the files for other workers into the output folder. Throws as `renderDocument`. */
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
  await writeFile(files.sound, await serializeSound(sound));
  // After the sound: its peaks are known only now.
  await writePlan(files.plan, sharedPlanOf({ speech }, peaks));
  return files;
}

/** Draws and encodes a span into the cache. `plan` is the file of {@link shareDocument}. Progress is that of the span. Throws as `renderDocument`. */
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

/** Joins rendered spans into the files of `renderDocument`. Segments missing from the cache are drawn again. Throws as `renderDocument`. */
export async function joinSpans(
  job: RenderJob,
  { plan, sound, spans }: SharedFiles & { readonly spans: readonly (SlideSpan & RenderedSpan)[] },
): Promise<RenderedFiles> {
  const planned = await readPlanned(job, plan);
  const audio = openStoredSound(await readFile(sound));
  const muxJob = muxJobOf(planned.job, planned);
  const rendered = await mux({ ...muxJob, audio, segments: segmentsOf(planned, spans) });
  return writeFiles(rendered, {
    ...planned,
    video: muxJob.out,
    shotKeys: spans.flatMap((span) => span.shotKeys),
    pictures: spans.flatMap((span) => span.reuse),
  });
}

/** A document with the timeline from the planning worker. */
interface Planned extends Pick<SharedPlan, 'tracks'> {
  /** The job, limited to the slides of the plan. */
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

/** Segments from the cache, one span at a time in memory. */
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
