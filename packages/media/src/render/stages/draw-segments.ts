import type { VideoDocument } from '@figurehead/contract/document';
import type { Size } from '@figurehead/presenter/geometry';
import type { VideoSettings } from '../../encode/contract.js';
import { probe } from '../../encode/input/decode.js';
import { MediaError } from '../../encode/input/media-error.js';
import { type PlannedShot, planShots } from '../../scene/shots.js';
import type { SpeechTrack, Timeline } from '../../scene/timeline/timeline.js';
import { type RenderCaches, type RenderJob, SlideFailure } from '../contract.js';
import type { ReuseTally } from '../reuse.js';
import { RenderError } from '../segments/drawing-threads.js';
import { type RenderedSegment, renderSegments } from '../segments/segments.js';

/** Slides `from` (inclusive) to `to` (exclusive) of a document with a timeline. */
export interface SceneJob extends Pick<RenderJob, 'resources'> {
  readonly document: VideoDocument;
  readonly timeline: Timeline;
  readonly tracks: readonly (SpeechTrack | null)[];
  readonly caches: RenderCaches;
  /** All slides when absent. */
  readonly span?: { readonly from: number; readonly to: number };
}

/** Fetches what the slides show and plans their shots. Throws a `SceneError` or `FontError`. */
export async function planScene(job: SceneJob): Promise<readonly PlannedShot[]> {
  const { document, timeline, tracks, caches, span, resources } = job;
  return planShots(document, timeline, {
    assets: resources.assets,
    fonts: await resources.fonts(),
    resolvePack: (code) => resources.resolvePack(code),
    clipSize,
    speeches: tracks,
    drawings: caches.drawings,
    loadPack: resources.loadPack,
    span,
  });
}

/** Planned shots to draw and encode. */
export interface DrawJob extends Pick<RenderJob, 'resources' | 'signal'> {
  readonly shots: readonly PlannedShot[];
  /** Index of the first shot's slide. */
  readonly from: number;
  readonly settings: VideoSettings;
  readonly caches: RenderCaches;
  /** Records drawn, encoded and reused parts. */
  readonly tally?: ReuseTally;
  /** Frames finished so far. */
  readonly onFrames?: (frames: number) => void;
}

/**
 * Draws and encodes shots whose segments are not in the cache. Throws a {@link SlideFailure} that names the slide, a `SceneError` for media that
 * cannot be drawn, or the signal's reason.
 */
export async function* drawSegments(job: DrawJob): AsyncGenerator<RenderedSegment> {
  const { shots, from, settings, caches, tally, signal, onFrames } = job;
  const { threads, loadPack, threadCache } = job.resources;
  const drawable = shots.map((shot, index) => ({
    ...shot,
    draw: async () => {
      signal.throwIfAborted();
      const drawn = await shot.draw();
      tally?.onDrawn(from + index, drawn.reused);
      return drawn;
    },
  }));
  const options = { settings, signal, threads, loadPack, threadCache, cache: caches.segments, onProgress: onFrames };
  try {
    for await (const segment of renderSegments(drawable, options)) {
      tally?.onSegment(segment);
      yield segment;
    }
  } catch (error) {
    if (!(error instanceof RenderError)) throw error;
    const index = shots.findIndex(({ key }) => key === error.shotKey);
    if (index < 0) throw error;
    throw new SlideFailure(from + index, error.message, { cause: error });
  }
}

/** Size of a clip in px. Throws a {@link MediaError}. */
export async function clipSize(file: string): Promise<Size> {
  const { video } = await probe(file);
  if (video === undefined) throw new MediaError('expected a clip with pictures, got sound alone');
  return video;
}
