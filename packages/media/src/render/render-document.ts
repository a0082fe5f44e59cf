import { planTimeline } from '../scene/timeline/timeline.js';
import { DocumentError, type RenderCaches, type RenderedFiles, type RenderJob } from './contract.js';
import { findProblems } from './document-check.js';
import { type RenderPlan, sharedPlanOf } from './render-plan.js';
import { tallyReuse } from './reuse.js';
import { framesToDraw } from './segments/segments.js';
import { ownSettingsOf } from './settings.js';
import { cutSpans, isOneJob } from './spans.js';
import type { SpeechTurn } from './stages/cached-speech.js';
import { drawSegments, planScene } from './stages/draw-segments.js';
import { encodeSound } from './stages/encode-sound.js';
import { mux } from './stages/mux.js';
import { speakSlides, tracksOf } from './stages/speak-slides.js';
import { muxJobOf, writeFiles } from './stages/write-files.js';

/** Shares of the stages in the total time, measured on a two-minute video at 1080p. */
const SHARE = { speech: 0.06, drawing: 0.02, encoding: 0.9 } as const;

/**
 * Renders a document to the files of a finished video: speech → timeline → segments and sound → file. `plan` is the result of {@link planDocument}
 * for the same job; computed here when absent. Throws a {@link DocumentError}, `SceneError`, `FontError` or `MediaError` for an invalid document, a
 * `SlideFailure` for a slide that cannot be drawn, an `OutputError` for a full disk, or the signal's reason.
 */
export async function renderDocument(job: RenderJob, plan?: RenderPlan): Promise<RenderedFiles> {
  const { document, resources, signal, onProgress } = job;
  const { speech, timeline, shots: planned } = plan ?? (await planDocument(job));
  const caches = await cachesOf(job);
  const tracks = tracksOf(speech);
  const settings = ownSettingsOf(document, resources);
  onProgress?.({ stage: 'drawing', progress: SHARE.speech });
  const shots = planned ?? (await planScene({ document, timeline, tracks, caches, resources }));
  const tally = tallyReuse(timeline);
  const drawn = SHARE.speech + SHARE.drawing;
  const segments = drawSegments({
    shots,
    from: 0,
    settings,
    caches,
    resources,
    signal,
    tally,
    onFrames: (frames) =>
      onProgress?.({ stage: 'encoding', progress: drawn + SHARE.encoding * (frames / timeline.frames) }),
  });
  const kept = caches.segments?.sounds;
  const { sound, peaks } = encodeSound({
    document,
    timeline,
    speech,
    settings,
    signal,
    kept,
    assets: resources.assets,
  });
  const muxJob = muxJobOf(job, { timeline, settings });
  const rendered = await mux({ ...muxJob, segments, audio: sound });
  onProgress?.({ stage: 'storing', progress: drawn + SHARE.encoding });
  return writeFiles(rendered, {
    job,
    timeline,
    settings,
    video: muxJob.out,
    plan: sharedPlanOf({ speech }, peaks),
    shotKeys: shots.map(({ key }) => key),
    pictures: document.slides.map((_, slide) => tally.of(slide)),
  });
}

/**
 * Validates a document, synthesizes its speech and computes its timeline. Throws as {@link renderDocument}, and a `SpeechError` `interrupted` at
 * the end of the turn: a later call goes on from the cache.
 */
export async function planDocument(job: RenderJob, turn?: SpeechTurn): Promise<RenderPlan> {
  const { document, problems = [], resources, output, signal, onProgress } = job;
  onProgress?.({ stage: 'validating', progress: 0 });
  const found = [...problems.filter(({ level }) => level === 'error'), ...(await findProblems(document, resources))];
  if (found.length > 0) throw new DocumentError(found);
  const caches = await cachesOf(job);
  const speech = await speakSlides({
    document,
    resources,
    folder: output,
    store: caches.speech,
    signal,
    turn,
    onProgress: (share) => onProgress?.({ stage: 'speech', progress: SHARE.speech * share }),
  });
  const tracks = tracksOf(speech);
  const timeline = planTimeline(document, tracks);
  const spans = cutSpans(timeline);
  const wasSpokenBefore = speech.some((slide) => slide?.reused === true);
  if (spans.length === 1 || !wasSpokenBefore) return { speech, timeline, spans };
  // A long video with few changes is one span, so that a changed word does not wait for other workers. A video without
  // any cached speech is not checked for changes, so that the worker that only plans it need not fetch its pictures.
  const shots = await planScene({ document, timeline, tracks, caches, resources });
  const settings = ownSettingsOf(document, resources);
  const toDraw = await framesToDraw(shots, { settings, cache: caches.segments });
  const whole = { from: 0, to: document.slides.length, frames: timeline.frames };
  return { speech, timeline, shots, spans: isOneJob(toDraw, timeline) ? [whole] : spans };
}

/** The caches of a job's resources; empty when it has none. */
export async function cachesOf({ resources }: Pick<RenderJob, 'resources'>): Promise<RenderCaches> {
  return (await resources.caches?.()) ?? {};
}
