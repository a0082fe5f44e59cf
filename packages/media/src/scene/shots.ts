import { type Assets, createPictures } from './assets.js';
import { loadCanvas } from './canvas.js';
import { castSlide, hashOf, type PackSource, type SlideCast, type Stage } from './cast.js';
import type { Shot } from './contract.js';
import { CANVAS_SIZES, type VideoDocument } from './document.js';
import type { Fonts } from './fonts.js';
import type { Size } from './geometry.js';
import { composeSlide } from './slide.js';
import { continuesPresenter } from './slide-items.js';
import type { SpeechTrack, Timeline } from './timeline.js';

/** Raised whenever the engine draws something differently, fonts and the drawing library included. */
const SCENE_VERSION = 1;

/** What shots are made with. */
export interface ShotOptions {
  readonly assets: Assets;
  readonly fonts: Fonts;
  /** Finds a presenter pack by its avatar code; rejects with a message for people when there is none. */
  readonly resolvePack: (code: string) => Promise<PackSource>;
  /** Size of a clip in px, so that it keeps its aspect ratio; without it clips are stretched to their boxes. */
  readonly clipSize?: (file: string) => Promise<Size>;
  /** Speech of each slide, as the timeline was planned with. */
  readonly speeches: readonly (SpeechTrack | null)[];
}

/** A shot whose key is known and whose pictures are drawn when they are needed. */
export interface PlannedShot {
  /** See {@link Shot.key}. */
  readonly key: string;
  readonly startFrame: number;
  readonly frames: number;
  /** Draws it; each call draws anew. Throws a `SceneError`. */
  draw(): Promise<Shot>;
}

/**
 * One shot a slide. Media are fetched and hashed here, so that a shot whose segment is already encoded need not be
 * drawn. Throws a `SceneError` naming slide and object when a picture, clip or presenter cannot be had.
 */
export async function planShots(
  document: VideoDocument,
  timeline: Timeline,
  options: ShotOptions,
): Promise<readonly PlannedShot[]> {
  const library = await loadCanvas();
  const pictures = createPictures(options.assets, library);
  const stage = stageOf(document);
  const { format } = stage;
  const studio = { stage, library, pictures, fonts: options.fonts };
  const casting = { ...options, stage, pictures, seed: document.data.seed, clipSize: options.clipSize ?? null };
  const shots: PlannedShot[] = [];
  let before: SlideCast | null = null;
  for (const [index, slide] of document.slides.entries()) {
    const time = timeline.slides[index];
    if (time === undefined) throw new RangeError(`the timeline has no slide ${index}`);
    const cast: SlideCast = await castSlide({ slide, index, time, speech: options.speeches[index] ?? null }, casting);
    const previous = before;
    const { startFrame, frames } = time;
    const past = pastOf(cast, previous);
    const key = hashOf([SCENE_VERSION, format, stage.aspect, frames, cast.lookHash, cast.faceHash, past]);
    shots.push({
      key,
      startFrame,
      frames,
      draw: async () => ({ key, format, startFrame, frames, ...(await composeSlide(cast, previous, frames, studio)) }),
    });
    before = cast;
  }
  return shots;
}

/** What a shot's pixels owe to the slide before. */
function pastOf(cast: SlideCast, previous: SlideCast | null): unknown {
  const stays = continuesPresenter(cast, previous);
  if (cast.slide.transition === 'none' || previous === null) return stays;
  return [stays, previous.lookHash, stays ? null : [previous.faceHash, previous.frames]];
}

function stageOf({ data }: VideoDocument): Stage {
  const { width, height, fps, format: aspect } = data;
  const canvas = CANVAS_SIZES[aspect];
  return { format: { width, height, fps }, aspect, view: [width / canvas.width, 0, 0, height / canvas.height, 0, 0] };
}
