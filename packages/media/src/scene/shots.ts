import type { VideoDocument } from '@figurehead/contract/document';
import { FORMATS } from '@figurehead/contract/document/output';
import type { PresenterPack } from '@figurehead/presenter';
import type { VideoFormat } from '@figurehead/presenter/frame';
import type { Size } from '@figurehead/presenter/geometry';
import type { ByteStore } from '../folder-store.js';
import { chinOf, loadPack } from '../presenter/index.js';
import { type Assets, createPictures } from './assets.js';
import type { Shot } from './contract.js';
import type { DrawingContext } from './drawing-context.js';
import { loadCanvas } from './objects/canvas.js';
import { formatDrawing, parseDrawing } from './objects/drawing-codec.js';
import { continuesPresenter } from './objects/slide-items.js';
import { hashOf, type PackSource, type ResolvedSlide, resolveSlide, type Viewport } from './resolved-slide.js';
import { type ComposedSlide, composeSlide } from './slide.js';
import { sharedStillCompositor } from './still.js';
import { type CaptionRequest, drawCaptions, drawLabel, type LabelRequest } from './text/captions.js';
import type { Fonts } from './text/fonts.js';
import type { SpeechTrack, Timeline } from './timeline/timeline.js';

/** Increase it when the engine draws anything differently, including after changes of fonts or the drawing library. */
const SCENE_VERSION = 4;

export interface ShotOptions {
  readonly assets: Assets;
  readonly fonts: Fonts;
  /** Finds a presenter pack by its avatar code; rejects with a message for users when there is none. */
  readonly resolvePack: (code: string) => Promise<PackSource>;
  /** Size of a clip in px, so that it keeps its aspect ratio; without it clips are stretched to their boxes. */
  readonly clipSize?: (file: string) => Promise<Size>;
  /** Speech of each slide, as used for planning the timeline. */
  readonly speeches: readonly (SpeechTrack | null)[];
  /** Cache of drawn slides between renders. */
  readonly drawings?: ByteStore | undefined;
  /** Reads a presenter pack; see `createPackLoader`. */
  readonly loadPack?: ((folder: string) => Promise<PresenterPack>) | undefined;
  /**
   * The slides to plan, `from` inclusive, `to` exclusive; all when absent. Their shots are the same as in the whole
   * video.
   */
  readonly span?: { readonly from: number; readonly to: number } | undefined;
}

/** A shot with a known key whose pictures are drawn on demand. */
export interface PlannedShot {
  /** See {@link Shot.key}. */
  readonly key: string;
  readonly format: VideoFormat;
  readonly startFrame: number;
  readonly frames: number;
  /** Draws it again on each call. Throws a `SceneError`. */
  draw(): Promise<DrawnShot>;
}

/** A shot that was drawn for this call. */
export interface DrawnShot extends Shot {
  /** Its drawing came from the cache. */
  readonly reused: boolean;
}

/**
 * One shot per slide. Media are fetched and hashed here, so that a shot whose segment is already encoded need not be
 * drawn. Throws a `SceneError` naming slide and object when a picture, clip or presenter is not available.
 */
export async function planShots(
  document: VideoDocument,
  timeline: Timeline,
  options: ShotOptions,
): Promise<readonly PlannedShot[]> {
  const library = await loadCanvas();
  const pictures = createPictures(options.assets, library);
  const viewport = viewportOf(document);
  const { format } = viewport;
  const { drawings } = options;
  const context = {
    viewport,
    library,
    pictures,
    fonts: options.fonts,
    loadPack: options.loadPack ?? loadPack,
    stillCompositor: sharedStillCompositor(format),
  };
  const resolving = { ...options, viewport, pictures, seed: document.data.seed, clipSize: options.clipSize ?? null };
  const shots: PlannedShot[] = [];
  let before: ResolvedSlide | null = null;
  const { from, to } = options.span ?? { from: 0, to: document.slides.length };
  for (const [index, slide] of document.slides.entries()) {
    // A shot starts with the rest of the previous slide.
    if (index < from - 1 || index >= to) continue;
    const time = timeline.slides[index];
    if (time === undefined) throw new RangeError(`expected a timeline with slide ${index}`);
    const resolved: ResolvedSlide = await resolveSlide(
      { slide, index, time, speech: options.speeches[index] ?? null },
      resolving,
    );
    const previous = before;
    before = resolved;
    if (index < from) continue;
    const { startFrame, frames } = time;
    const past = pastOf(resolved, previous);
    const captions = captionsOf(document, timeline, index);
    const label = labelOf(document, frames, slide.language);
    const key = hashOf([
      SCENE_VERSION,
      format,
      viewport.aspect,
      frames,
      resolved.lookHash,
      resolved.faceHash,
      past,
      captions,
      ...(label === null ? [] : [label]),
    ]);
    shots.push({
      key,
      format,
      startFrame,
      frames,
      draw: async () => {
        const kept = {
          key: hashOf([SCENE_VERSION, format, viewport.aspect, lastingOf(resolved), resolved.lookHash, past]),
          drawings,
        };
        const { reused, drawing } = await drawOrReuse(resolved, kept, () =>
          composeSlide(resolved, previous, frames, context),
        );
        const shown = captions && drawCaptions({ ...captions, chinY: await faceEnd(resolved, context) }, context);
        const above = [shown, label && drawLabel(label, context)].filter((layer) => layer !== null);
        const layers = above.length === 0 ? drawing.layers : [...drawing.layers, ...above];
        return { key, format, startFrame, frames, ...drawing, layers, reused };
      },
    });
  }
  return shots;
}

/** Length of a slide whose drawing depends on it: exits end with the slide. */
function lastingOf({ slide, frames }: ResolvedSlide): number | null {
  const moves = slide.animation !== null || slide.transition !== 'none';
  return moves || slide.objects.some((object) => object.animation !== null) ? frames : null;
}

/** Takes a drawing from the cache, or draws and caches it. */
async function drawOrReuse(
  resolved: ResolvedSlide,
  { key, drawings }: { readonly key: string; readonly drawings: ByteStore | undefined },
  draw: () => Promise<ComposedSlide>,
): Promise<{ readonly reused: boolean; readonly drawing: ComposedSlide }> {
  const name = `${key}.drawing`;
  const bytes = await drawings?.get(name);
  const kept = bytes && (await parseDrawing(bytes, resolved));
  if (kept !== undefined) return { reused: true, drawing: kept };
  const drawing = await draw();
  const written = drawings && (await formatDrawing(drawing, resolved));
  if (written !== undefined) await drawings?.put(name, written);
  return { reused: false, drawing };
}

/** Subtitle cues of a slide on its own clock, if captions are drawn into the picture. */
function captionsOf({ slides, data }: VideoDocument, timeline: Timeline, index: number): CaptionRequest | null {
  const [slide, time] = [slides[index], timeline.slides[index]];
  if (data.captions === 'off' || slide === undefined || time === undefined) return null;
  const begin = time.startFrame / timeline.fps;
  const end = begin + time.frames / timeline.fps;
  const cues = timeline.cues
    .filter((cue) => cue.start >= begin && cue.start < end)
    .map((cue) => ({
      ...cue,
      start: rounded(cue.start - begin),
      end: rounded(cue.end - begin),
      words: cue.words.map((word) => ({ ...word, start: rounded(word.start - begin), end: rounded(word.end - begin) })),
    }));
  if (cues.length === 0) return null;
  const { width, height, fps } = data;
  return { style: data.captions, cues, format: { width, height, fps }, frames: time.frames, language: slide.language };
}

function labelOf({ data }: VideoDocument, frames: number, language: string | null): LabelRequest | null {
  const { width, height, fps, aiLabel: text } = data;
  return text === null ? null : { text, format: { width, height, fps }, frames, language };
}

/** Lower edge of the presenter's face, px; null without one. */
async function faceEnd(
  { presenter }: ResolvedSlide,
  { loadPack, viewport }: Pick<DrawingContext, 'loadPack' | 'viewport'>,
): Promise<number | null> {
  if (presenter === null) return null;
  return chinOf(await loadPack(presenter.pack.folder), presenter.placement, viewport.format);
}

/** Rounded to microseconds, so that a slide's start time does not change its cache key. */
function rounded(seconds: number): number {
  return Math.round(seconds * 1e6) / 1e6;
}

/** How a shot's pixels depend on the previous slide. */
function pastOf(resolved: ResolvedSlide, previous: ResolvedSlide | null): unknown {
  const stays = continuesPresenter(resolved, previous);
  if (resolved.slide.transition === 'none' || previous === null) return stays;
  return [stays, previous.lookHash, stays ? null : [previous.faceHash, previous.frames]];
}

function viewportOf({ data }: VideoDocument): Viewport {
  const { width, height, fps, format: aspect } = data;
  const canvas = FORMATS[aspect];
  return { format: { width, height, fps }, aspect, view: [width / canvas.width, 0, 0, height / canvas.height, 0, 0] };
}
