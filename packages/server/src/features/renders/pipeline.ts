import { createHash } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { containerOf } from '@figurehead/contract';
import {
  type Assets,
  decodeAudio,
  framesToDraw,
  inspectMedia,
  type JoinJob,
  keepSound,
  type LazyShot,
  lipSyncOf,
  MediaError,
  mixSound,
  openSound,
  type Pcm,
  type PlannedShot,
  parseDocument,
  planShots,
  planTimeline,
  probe,
  renderSegments,
  renderVideo,
  type SegmentOptions,
  silence,
  type Timeline,
  type VideoDocument,
  type VideoSettings,
  watchPeaks,
} from '@figurehead/media';
import { writeBeside } from './beside.js';
import { castingProblems, type SpokenSlide, speakSlides } from './casting.js';
import {
  type FrozenVideo,
  type PreparedRender,
  type RenderContext,
  type RenderedFiles,
  type RenderedSpan,
  type RenderPipeline,
  RenderProblem,
  type RenderReport,
  type Reuse,
  type SharedFiles,
  type SlideSpan,
} from './contract.js';
import { mediaProblems } from './document-media.js';
import { joinSpans } from './joining.js';
import { errorsOf, explained, namingSlides } from './media-problems.js';
import type { PipelineParts } from './pipeline-parts.js';
import type { MediaKind } from './preview-messages.js';
import { type ReuseTally, tallyReuse } from './reuse.js';
import { readScore, type Score, writeScore } from './score.js';
import { cutSpans, isOneJob } from './spans.js';

/** Shares of the whole that the stages take, measured on a two-minute video at 1080p: synthesis is quick, encoding is not. */
const SHARE = { speech: 0.06, drawing: 0.02, encoding: 0.9 } as const;

/** How long a dry run may look for media, ms: well within the patience of a client. */
const DRY_RUN_MS = 20_000;

/** Quality of x264 at which the presenters' skin shows no blocks; 2 Mbit/s at 1080p. */
const CRF = 21;

/** The engine put together: from a video document to the files of a finished video, in one go or in spans. */
export function createPipeline(parts: PipelineParts): RenderPipeline {
  return {
    validate: async (video) => {
      const { document, problems } = parseDocument({ slides: video.slides, data: video.data });
      const casting = castingProblems(parts, video, document);
      const media = inTemporaryFolder(async (folder) => {
        const signal = AbortSignal.timeout(DRY_RUN_MS);
        const { workspaceId } = video;
        const context = { workspaceId, assets: parts.assets(workspaceId, folder, signal), signal };
        return mediaProblems(document, (what, src) => openMedium(parts, { what, src }, context), signal);
      });
      return [...(video.problems ?? []), ...errorsOf(problems), ...(await casting), ...(await media)];
    },
    render: async (video, context) => (await prepare(parts, video, context)).finish(),
    prepare: (video, context) => prepare(parts, video, context),
    renderSpan: async (video, { score, span }, context) =>
      renderSpan(parts, await sceneFrom(video, score), { span, context }),
    join: async (video, { score, ...rest }, context) =>
      finishJoined(parts, await sceneFrom(video, score), { ...rest, context }),
    close: () => parts.speech.close(),
  };
}

/** Opens a medium where the server does that; here when nobody else can be harmed by it. */
async function openMedium(
  { inspect }: PipelineParts,
  { what, src }: { what: MediaKind; src: string },
  context: { workspaceId: string; assets: Assets; signal: AbortSignal },
): Promise<void> {
  const { assets } = context;
  if (inspect !== undefined) return inspect(what, src, context);
  return inspectMedia(what, what === 'picture' ? await assets.picture(src) : await assets.file(src));
}

async function inTemporaryFolder<T>(act: (folder: string) => Promise<T>): Promise<T> {
  const folder = await mkdtemp(join(tmpdir(), 'figurehead-dry-run-'));
  try {
    return await act(folder);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** A document on the video's clock: what all of a video's workers agree on. */
interface Scene {
  readonly video: FrozenVideo;
  readonly document: VideoDocument;
  readonly score: Score;
  readonly timeline: Timeline;
  readonly settings: VideoSettings;
}

/** Validates, speaks, and lays out in time. */
async function prepare(parts: PipelineParts, video: FrozenVideo, context: RenderContext): Promise<PreparedRender> {
  const { folder, signal, onProgress } = context;
  onProgress({ stage: 'validating', progress: 0 });
  const { document, problems } = parseDocument(video, { fitTextBox: video.fitTextBox });
  const found = [...(video.problems ?? []), ...errorsOf(problems), ...(await castingProblems(parts, video, document))];
  if (found.length > 0) throw new RenderProblem(found);

  const speeches = await speakSlides(
    parts,
    { video, document },
    { folder, signal, onProgress: (share) => onProgress({ stage: 'speech', progress: SHARE.speech * share }) },
  );
  const peaks: number[] = [];
  const reusedSpeech = [...speeches.keys()].filter((slide) => speeches[slide]?.reused === true);
  const tracks = speeches.map((speech) => speech?.track ?? null);
  const scene = sceneOf({ video, document, score: { tracks, peaks, reusedSpeech } });
  const sound = () => watchPeaks(soundOf(parts, scene, { speeches, context }), peaks);
  let planned: Promise<Plan> | undefined;
  const planOnce = (): Promise<Plan> => {
    planned ??= planWhole(parts, scene, context);
    return planned;
  };
  return {
    spans: await spansOf(parts, scene, planOnce),
    finish: () => finishWhole(parts, onCard(parts, scene), { plan: planOnce, audio: sound(), context }),
    share: async () => {
      const files = { score: join(folder, 'score.json'), sound: join(folder, 'sound') };
      const kept = (await parts.cache?.(video.workspaceId))?.sounds;
      const encoded = await explained(() => keepSound(openSound(sound(), scene.settings, { signal, kept })));
      await writeFile(files.sound, encoded);
      // After the sound: only now are its peaks known.
      await writeScore(files.score, scene.score);
      return files;
    },
  };
}

/** The shots of the whole video, and the count of what is reused of them. */
interface Plan {
  readonly tally: ReuseTally;
  readonly shots: readonly PlannedShot[];
}

/**
 * One span also of a long video when little of it is new: somebody who changes a word does not wait for other workers to find that they have
 * nothing to do. A video of which no word had been said before is not looked at: its pictures need not be fetched by who only plans it.
 */
async function spansOf(parts: PipelineParts, scene: Scene, plan: () => Promise<Plan>): Promise<readonly SlideSpan[]> {
  const { slides, frames } = scene.timeline;
  const spans = cutSpans(scene.timeline);
  if (spans.length === 1 || scene.score.reusedSpeech.length === 0) return spans;
  const toDraw = await framesToDraw((await plan()).shots, await drawingOf(parts, onCard(parts, scene)));
  return isOneJob(toDraw, scene.timeline) ? [{ from: 0, to: slides.length, frames }] : spans;
}

/** With the graphics card, where there is one. Not for spread videos: segments of cards and processors do not join. */
function onCard(parts: PipelineParts, scene: Scene): Scene {
  if (parts.nvenc !== true || scene.document.data.codec !== 'h264') return scene;
  return { ...scene, settings: { ...scene.settings, nvenc: true } };
}

async function planWhole(parts: PipelineParts, scene: Scene, context: RenderContext): Promise<Plan> {
  const tally = tallyReuse(scene.timeline);
  return { tally, shots: await shotsOf(parts, scene, { context, tally }) };
}

/** Draws, encodes and joins everything here. */
async function finishWhole(
  parts: PipelineParts,
  scene: Scene,
  { plan, audio, context }: { plan: () => Promise<Plan>; audio: AsyncIterable<Pcm>; context: RenderContext },
): Promise<RenderedFiles> {
  const { timeline, settings } = scene;
  const { signal, onProgress } = context;
  onProgress({ stage: 'drawing', progress: SHARE.speech });
  const { tally, shots } = await plan();
  const base = SHARE.speech + SHARE.drawing;
  const rendered = await namingSlides(shots, 0, async () =>
    renderVideo({
      ...wrapping(scene, context),
      ...(await drawingOf(parts, scene)),
      shots: drawable(shots, signal),
      onSegment: tally.onSegment,
      audio,
      onProgress: (frames) =>
        onProgress({ stage: 'encoding', progress: base + SHARE.encoding * (frames / timeline.frames) }),
    }),
  );
  onProgress({ stage: 'storing', progress: base + SHARE.encoding });
  return writeBeside(rendered, {
    ...besideOf(scene, context),
    contentHash: contentHash(
      shots.map((shot) => shot.key),
      settings,
    ),
    slides: reportOf(
      scene,
      scene.document.slides.map((_, slide) => tally.of(slide)),
    ),
  });
}

/** Draws and encodes some slides into the cache. Progress is of the span alone. */
async function renderSpan(
  parts: PipelineParts,
  scene: Scene,
  { span, context }: { span: SlideSpan; context: RenderContext },
): Promise<RenderedSpan> {
  const { signal, onProgress } = context;
  const tally = tallyReuse(scene.timeline);
  const shots = await shotsOf(parts, scene, { span, context, tally });
  const segments: (RenderedSpan['segments'][number] & { readonly goodFrame: number })[] = [];
  await namingSlides(shots, span.from, async () => {
    const options = {
      ...(await drawingOf(parts, scene)),
      signal,
      onProgress: (frames: number) => onProgress({ stage: 'encoding', progress: frames / span.frames }),
    };
    for await (const segment of renderSegments(drawable(shots, signal), options)) {
      tally.onSegment(segment);
      segments.push({ key: segment.key, reused: segment.reused, goodFrame: segment.goodFrame });
    }
  });
  return {
    segments: segments.map(({ key, reused }) => ({ key, reused })),
    shotKeys: shots.map((shot) => shot.key),
    reuse: shots.map((_, index) => tally.of(span.from + index)),
    goodFrame: segments[0]?.goodFrame ?? 0,
  };
}

/** Joins what the spans' workers have encoded. */
async function finishJoined(
  parts: PipelineParts,
  scene: Scene,
  {
    sound,
    spans,
    context,
  }: {
    sound: SharedFiles['sound'];
    spans: readonly (SlideSpan & RenderedSpan)[];
    context: RenderContext;
  },
): Promise<RenderedFiles> {
  const { signal } = context;
  const drawing = await drawingOf(parts, scene);
  const rendered = await explained(() =>
    joinSpans({
      ...wrapping(scene, context),
      sound,
      spans,
      cache: drawing.cache,
      draw: async (span) =>
        renderSegments(drawable(await shotsOf(parts, scene, { span, context }), signal), { ...drawing, signal }),
    }),
  );
  return writeBeside(rendered, {
    ...besideOf(scene, context),
    contentHash: contentHash(
      spans.flatMap((span) => span.shotKeys),
      scene.settings,
    ),
    slides: reportOf(
      scene,
      spans.flatMap((span) => span.reuse),
    ),
  });
}

/** The scene as the worker that spoke it left it in its score: only the slides of the score are rendered. */
async function sceneFrom(video: FrozenVideo, file: string): Promise<Scene> {
  const score = await readScore(file);
  const rendered = { ...video, slides: video.slides.slice(0, score.tracks.length) };
  const { document } = parseDocument(rendered, { fitTextBox: video.fitTextBox });
  return sceneOf({ video: rendered, document, score });
}

function sceneOf(scene: Pick<Scene, 'video' | 'document' | 'score'>): Scene {
  const timeline = planTimeline(scene.document, scene.score.tracks);
  return { ...scene, timeline, settings: settingsOf(scene.document) };
}

/** Plans the shots of a span, or of the whole video. */
async function shotsOf(
  parts: PipelineParts,
  { video, document, timeline, score }: Scene,
  { span, context, tally }: { span?: SlideSpan; context: RenderContext; tally?: ReuseTally },
): Promise<readonly PlannedShot[]> {
  const fonts = await explained(() => parts.fonts(video.workspaceId));
  const kept = await parts.kept?.(video.workspaceId);
  return explained(() =>
    planShots(document, timeline, {
      assets: parts.assets(video.workspaceId, context.folder, context.signal),
      fonts,
      resolvePack: (code) => parts.resolvePack(video.workspaceId, code),
      clipSize,
      speeches: score.tracks,
      ...(kept === undefined ? {} : { drawings: kept.drawings }),
      ...(tally === undefined ? {} : { onDrawn: tally.onDrawn }),
      ...(parts.loadPack === undefined ? {} : { loadPack: parts.loadPack }),
      ...(span === undefined ? {} : { span }),
    }),
  );
}

function soundOf(
  parts: PipelineParts,
  { video, document, timeline, score }: Scene,
  { speeches, context }: { speeches: readonly (SpokenSlide | null)[]; context: RenderContext },
): AsyncGenerator<Pcm> {
  return mixSound({
    document,
    timeline,
    speeches: score.tracks,
    speech: async (slide) => speeches[slide]?.samples() ?? silence(0),
    assets: parts.assets(video.workspaceId, context.folder, context.signal),
    decodeAudio: decodeSound,
  });
}

/** What segments are drawn with, wherever that is. */
async function drawingOf(
  parts: PipelineParts,
  { video, settings }: Scene,
): Promise<Pick<SegmentOptions, 'settings' | 'cache' | 'threads' | 'loadPack' | 'threadKeeper'>> {
  const cache = await parts.cache?.(video.workspaceId);
  return {
    settings,
    ...(cache === undefined ? {} : { cache }),
    ...(parts.threads === undefined ? {} : { threads: parts.threads }),
    ...(parts.loadPack === undefined ? {} : { loadPack: parts.loadPack }),
    ...(parts.threadKeeper === undefined ? {} : { threadKeeper: parts.threadKeeper }),
  };
}

/** What the file holds beside pictures and sound. */
function wrapping(
  { document, timeline, settings }: Scene,
  { folder, signal }: RenderContext,
): Pick<JoinJob, 'cues' | 'chapters' | 'settings' | 'out'> & { readonly signal: AbortSignal } {
  return {
    cues: document.data.subtitlesEnabled ? timeline.cues : [],
    chapters: timeline.chapters,
    settings,
    out: videoFile(folder, settings),
    signal,
  };
}

function videoFile(folder: string, { codec }: VideoSettings): string {
  return join(folder, `video.${containerOf(codec).extension}`);
}

/** What is written beside the video that follows from the scene alone. */
function besideOf({ document, timeline, score, settings }: Scene, { folder }: RenderContext) {
  return {
    folder,
    video: videoFile(folder, settings),
    fps: timeline.fps,
    wantsGif: document.data.gifEnabled,
    alpha: settings.alpha === true,
    lipSync: lipSyncOf({ document, timeline }, score.tracks, score.peaks),
  };
}

function reportOf({ document, score }: Scene, pictures: readonly (readonly Reuse[])[]): RenderReport['slides'] {
  return document.slides.map(({ id }, slide) => {
    const speech = score.reusedSpeech.includes(slide) ? (['speech'] as const) : [];
    return { id, reused: [...speech, ...(pictures[slide] ?? [])] };
  });
}

function settingsOf(document: VideoDocument): VideoSettings {
  const { width, height, fps, codec, preset, transparent } = document.data;
  // Two seconds a GOP: players seek well and both cores get work early.
  return { width, height, fps, codec, alpha: transparent, preset, crf: CRF, gopFrames: 2 * fps };
}

/** Shots that are drawn when the encoder asks for them, until the signal is raised. */
function drawable(shots: readonly PlannedShot[], signal: AbortSignal): LazyShot[] {
  return shots.map((shot) => ({
    ...shot,
    draw: async () => {
      signal.throwIfAborted();
      return shot.draw();
    },
  }));
}

/** Frames depend on the shots and the encoder alone; equal speech gives equal faces, which the shots' keys cover. */
function contentHash(shotKeys: readonly string[], settings: VideoSettings): string {
  return createHash('sha256')
    .update(JSON.stringify([settings, shotKeys]))
    .digest('hex');
}

/** The sound of a clip, or null when it has none. */
async function decodeSound(file: string, options: { maxSeconds: number }): Promise<Pcm | null> {
  const { audio } = await probe(file);
  return audio === undefined ? null : decodeAudio(file, options);
}

async function clipSize(file: string): Promise<{ width: number; height: number }> {
  const { video } = await probe(file);
  if (video === undefined) throw new MediaError('expected a clip with pictures, got sound alone');
  return video;
}
