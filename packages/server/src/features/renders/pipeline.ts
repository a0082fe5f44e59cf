import { createHash } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  type Assets,
  decodeAudio,
  energyOf,
  type Fonts,
  MediaError,
  mixSound,
  type PackSource,
  type Pcm,
  type PlannedShot,
  type Problem,
  parseDocument,
  planShots,
  planTimeline,
  probe,
  renderVideo,
  SceneError,
  type SegmentCache,
  type SlideDocument,
  type Speech,
  SpeechError,
  type SpeechTrack,
  silence,
  type Utterance,
  type VideoDocument,
  type VideoSettings,
} from '@figurehead/media';
import {
  type DocumentProblem,
  type FrozenVideo,
  type RenderContext,
  type RenderedFiles,
  type RenderPipeline,
  RenderProblem,
} from './contract.js';
import { pictureProblems } from './picture-problems.js';

/** A voice that this server can speak with, and how the workspace wants it spoken. */
export interface ResolvedVoice {
  readonly provider: Parameters<Speech['utter']>[0];
  readonly voice: string;
  readonly locale: string;
  readonly speed?: number;
  readonly stability?: number;
}

/** What a slide asks for; absent fields take the server's defaults. */
export interface VoiceWish {
  readonly workspaceId: string;
  readonly voice: string | null;
  readonly provider: string | null;
  readonly language: string | null;
}

/** What the pipeline is put together from. */
export interface PipelineParts {
  readonly speech: Speech;
  readonly fonts: (workspaceId: string) => Promise<Fonts>;
  /** Rejects with {@link RenderProblem} or `SpeechError` when there is no such voice. */
  readonly resolveVoice: (wish: VoiceWish) => Promise<ResolvedVoice>;
  /** Rejects when there is no presenter of this code; the message is for people. */
  readonly resolvePack: (workspaceId: string, code: string) => Promise<PackSource>;
  /** Media named by the document; `folder` takes what has to lie on disk. */
  readonly assets: (workspaceId: string, folder: string, signal: AbortSignal) => Assets;
  readonly cache?: (workspaceId: string) => Promise<SegmentCache>;
  /** Threads that draw and encode; all processors when absent. */
  readonly threads?: number;
}

/** Shares of the whole that the stages take, measured on a two-minute video at 1080p: synthesis is quick, encoding is not. */
const SHARE = { speech: 0.06, drawing: 0.02, encoding: 0.9 } as const;

/** How long a dry run may look for pictures, ms: well within the patience of a client. */
const DRY_RUN_MS = 20_000;

/** Quality of x264 at which the presenters' skin shows no blocks; 2 Mbit/s at 1080p. */
const CRF = 21;

/** The engine put together: from a video document to the files of a finished video. */
export function createPipeline(parts: PipelineParts): RenderPipeline {
  return {
    validate: async (video) => {
      const { document, problems } = parseDocument({ slides: video.slides, data: video.data });
      const signal = AbortSignal.timeout(DRY_RUN_MS);
      // Pictures are not kept: no folder is written to.
      const pictures = pictureProblems(document, parts.assets(video.workspaceId, tmpdir(), signal), signal);
      const casting = await castingProblems(parts, video, document);
      return [...(video.problems ?? []), ...errorsOf(problems), ...casting, ...(await pictures)];
    },
    render: (video, context) => render(parts, video, context),
    close: () => parts.speech.close(),
  };
}

async function render(parts: PipelineParts, video: FrozenVideo, context: RenderContext): Promise<RenderedFiles> {
  const { folder, signal, onProgress } = context;
  onProgress({ stage: 'validating', progress: 0 });
  const { document, problems } = parseDocument(video, { fitTextBox: video.fitTextBox });
  const found = [...(video.problems ?? []), ...errorsOf(problems), ...(await castingProblems(parts, video, document))];
  if (found.length > 0) throw new RenderProblem(found);

  const speeches = await speakSlides(parts, { video, document }, context);
  const tracks = speeches.map(trackOf);
  const timeline = planTimeline(document, tracks);

  onProgress({ stage: 'drawing', progress: SHARE.speech });
  const assets = parts.assets(video.workspaceId, folder, signal);
  const fonts = await parts.fonts(video.workspaceId);
  const shots = await explained(() =>
    planShots(document, timeline, {
      assets,
      fonts,
      resolvePack: (code) => parts.resolvePack(video.workspaceId, code),
      clipSize,
      speeches: tracks,
    }),
  );
  const audio = mixSound({
    document,
    timeline,
    speeches: tracks,
    speech: async (slide) => speeches[slide]?.samples ?? silence(0),
    assets,
    decodeAudio: decodeSound,
  });

  const settings = settingsOf(document);
  const out = join(folder, 'video.mp4');
  const base = SHARE.speech + SHARE.drawing;
  const cache = await parts.cache?.(video.workspaceId);
  const rendered = await explained(() =>
    renderVideo({
      shots: drawn(shots, signal),
      audio,
      cues: document.data.subtitlesEnabled ? timeline.cues : [],
      chapters: timeline.chapters,
      settings,
      out,
      signal,
      onProgress: (frames) =>
        onProgress({ stage: 'encoding', progress: base + SHARE.encoding * (frames / timeline.frames) }),
      ...(cache === undefined ? {} : { cache }),
      ...(parts.threads === undefined ? {} : { threads: parts.threads }),
    }),
  );
  onProgress({ stage: 'storing', progress: base + SHARE.encoding });

  const beside = {
    thumbnailJpeg: join(folder, 'thumbnail.jpg'),
    thumbnailWebp: join(folder, 'thumbnail.webp'),
    vtt: join(folder, 'subtitles.vtt'),
    srt: join(folder, 'subtitles.srt'),
  };
  await writeFile(beside.thumbnailJpeg, rendered.thumbnail.jpeg);
  await writeFile(beside.thumbnailWebp, rendered.thumbnail.webp);
  await writeFile(beside.vtt, rendered.vtt);
  await writeFile(beside.srt, rendered.srt);
  return {
    video: out,
    ...beside,
    durationSeconds: rendered.durationSeconds,
    frames: rendered.frames,
    reusedSegments: rendered.reusedSegments,
    segments: rendered.segments,
    contentHash: contentHash(shots, settings),
  };
}

/** What only a look at this server's voices and presenters can judge. */
async function castingProblems(
  parts: PipelineParts,
  video: FrozenVideo,
  document: VideoDocument,
): Promise<DocumentProblem[]> {
  const problems: DocumentProblem[] = [];
  for (const [index, slide] of document.slides.entries()) {
    const at = `slides[${index}]`;
    if (slide.speech.trim() === '' && slide.duration === null) {
      problems.push({ field: at, message: 'the slide has neither speech nor duration' });
    }
    if (slide.speech.trim() !== '') {
      const reason = await reasonAgainst(() => parts.resolveVoice(wishOf(video, slide)));
      if (reason !== undefined) problems.push({ field: `${at}.voice`, message: reason });
    }
    const { avatar } = slide;
    if (avatar !== null) {
      const reason = await reasonAgainst(() => parts.resolvePack(video.workspaceId, avatar));
      if (reason !== undefined) problems.push({ field: `${at}.avatar`, message: reason });
    }
  }
  return problems;
}

/** Speaks every slide in order; a silent slide gives null. */
async function speakSlides(
  parts: PipelineParts,
  { video, document }: { video: FrozenVideo; document: VideoDocument },
  { signal, onProgress }: RenderContext,
): Promise<(Utterance | null)[]> {
  const speeches: (Utterance | null)[] = [];
  for (const [index, slide] of document.slides.entries()) {
    onProgress({ stage: 'speech', progress: (SHARE.speech * index) / document.slides.length });
    if (slide.speech.trim() === '') {
      speeches.push(null);
      continue;
    }
    const { provider, ...options } = await parts.resolveVoice(wishOf(video, slide));
    try {
      speeches.push(await parts.speech.utter(provider, slide.speech, { ...options, signal }));
    } catch (error) {
      if (!(error instanceof SpeechError)) throw error;
      throw new RenderProblem([{ field: `slides[${index}].speech`, message: error.message }], { cause: error });
    }
  }
  return speeches;
}

function wishOf(video: FrozenVideo, slide: SlideDocument): VoiceWish {
  const { voice, voiceProvider: provider, language } = slide;
  return { workspaceId: video.workspaceId, voice, provider, language };
}

function trackOf(utterance: Utterance | null): SpeechTrack | null {
  if (utterance === null) return null;
  const { samples, marks } = utterance;
  return { samples: samples.length, marks, energy: energyOf(samples) };
}

function settingsOf(document: VideoDocument): VideoSettings {
  const { width, height, fps } = document.data;
  // Two seconds a GOP: players seek well and both cores get work early.
  return { width, height, fps, preset: 'veryfast', crf: CRF, gopFrames: 2 * fps };
}

/** Draws one shot at a time, when the encoder asks for it. */
async function* drawn(shots: readonly PlannedShot[], signal: AbortSignal) {
  for (const shot of shots) {
    signal.throwIfAborted();
    yield await shot.draw();
  }
}

/** Frames depend on the shots and the encoder alone; equal speech gives equal faces, which the shots' keys cover. */
function contentHash(shots: readonly PlannedShot[], settings: VideoSettings): string {
  return createHash('sha256')
    .update(JSON.stringify([settings, shots.map((shot) => shot.key)]))
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

function errorsOf(problems: readonly Problem[]): DocumentProblem[] {
  return problems.filter((p) => p.level === 'error').map(({ path, message }) => ({ field: path, message }));
}

async function reasonAgainst(find: () => Promise<unknown>): Promise<string | undefined> {
  try {
    await find();
    return undefined;
  } catch (error) {
    if (error instanceof Error) return error.message;
    throw error;
  }
}

/** Turns the engine's complaints about a document's media into a problem that its owner can read. */
async function explained<T>(act: () => Promise<T>): Promise<T> {
  try {
    return await act();
  } catch (error) {
    if (error instanceof SceneError) {
      const message = error.message.startsWith(`${error.path}: `)
        ? error.message.slice(error.path.length + 2)
        : error.message;
      throw new RenderProblem([{ field: error.path, message }], { cause: error });
    }
    if (error instanceof MediaError)
      throw new RenderProblem([{ field: 'media', message: error.message }], { cause: error });
    throw error;
  }
}
