import { parseDocument, type VideoDocument } from '@figurehead/contract/document';
import { even } from '@figurehead/presenter/even';
import { LRUCache } from 'lru-cache';
import { encodePicture } from '../../encode/input/picture.js';
import type { Assets } from '../../scene/assets.js';
import type { Shot } from '../../scene/contract.js';
import type { PackSource } from '../../scene/resolved-slide.js';
import { planShots } from '../../scene/shots.js';
import type { Fonts } from '../../scene/text/fonts.js';
import { planTimeline, type SpeechTrack } from '../../scene/timeline/timeline.js';
import { DocumentError } from '../contract.js';
import { createPackLoader } from '../pack-loader.js';
import { clipSize } from '../stages/draw-segments.js';
import { openFramePainter } from './frame-painter.js';

/** Drawn slides in the cache, about 5 MB each, because the next request is often for the same slide. */
const MAX_SHOTS = 4;

/** Maximum shorter side of a preview, px: the console does not show it larger. */
const SHORTER_SIDE = 720;

/** A slide and everything that its frame depends on. */
export interface SlideRequest {
  /** A video document (`slides`, `data`) with the slide, and the previous one if a transition shows it. */
  readonly source: unknown;
  /** Index of the slide. */
  readonly slide: number;
  /** Seconds from the slide's start; beyond its end its last frame is shown. */
  readonly seconds: number;
  /** One entry per slide of `source`; null when it is silent or its speech is not known yet. */
  readonly speeches: readonly (SpeechTrack | null)[];
  readonly assets: Assets;
  readonly fonts: Fonts;
  readonly resolvePack: (code: string) => Promise<PackSource>;
}

/** Draws single frames of slides as pictures for editors. The creator closes it. */
export interface SlidePainter {
  /**
   * The frame as WebP, at most 720 px on its shorter side. Throws {@link DocumentError} for an invalid document and a
   * `SceneError` for unavailable media.
   */
  paint(request: SlideRequest): Promise<Buffer>;
  /** Idempotent. */
  close(): Promise<void>;
}

/** Opens a painter on the calling thread. It caches recent slides, so that their next frame is fast. */
export async function openSlidePainter(): Promise<SlidePainter> {
  const load = createPackLoader();
  const painter = await openFramePainter(load);
  const kept = new LRUCache<string, Shot>({ max: MAX_SHOTS });
  return {
    async paint({ source, slide, seconds, speeches, ...tools }) {
      const { document: asked, problems } = parseDocument(source);
      const errors = problems.filter((problem) => problem.level === 'error' && !ofOtherSlide(problem.path, slide));
      if (errors.length > 0) throw new DocumentError(errors);
      const document = smaller(asked);
      const timeline = planTimeline(document, speeches);
      const span = { from: slide, to: slide + 1 };
      const [planned] = await planShots(document, timeline, { ...tools, clipSize, speeches, span, loadPack: load });
      if (planned === undefined) throw new RangeError(`expected the index of a slide, got ${slide}`);
      const shot = kept.get(planned.key) ?? (await planned.draw());
      kept.set(planned.key, shot);
      const frame = Math.min(planned.frames - 1, Math.max(0, Math.floor(seconds * timeline.fps)));
      const picture = await painter.paint(shot, frame);
      return encodePicture(picture, 'webp', { maxWidth: document.data.width, fast: true });
    },
    close: () => painter.close(),
  };
}

function ofOtherSlide(path: string, slide: number): boolean {
  return path.startsWith('slides[') && !path.startsWith(`slides[${slide}]`);
}

/** Layout is in canvas units, so that a smaller frame shows the same picture. */
function smaller(document: VideoDocument): VideoDocument {
  const { width, height } = document.data;
  const shrink = SHORTER_SIDE / Math.min(width, height);
  if (shrink >= 1) return document;
  return { ...document, data: { ...document.data, width: even(width * shrink), height: even(height * shrink) } };
}
