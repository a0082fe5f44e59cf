import { createHash } from 'node:crypto';
import type { AspectFormat, SceneObject, SlideDocument } from '@figurehead/contract/document';
import type { PresenterPlacement } from '@figurehead/presenter';
import type { FaceTrackInput } from '@figurehead/presenter/face';
import type { VideoFormat } from '@figurehead/presenter/frame';
import type { Matrix, Size } from '@figurehead/presenter/geometry';
import { type FrameRate, frameToSample } from '@figurehead/presenter/time';
import { framedFolder } from '../presenter/index.js';
import { type Assets, hashFile, type Pictures, reasonOf, SceneError } from './assets.js';
import { defaultPlacement, placeAvatar } from './placement.js';
import type { Fonts } from './text/fonts.js';
import { atSpokenTimes } from './timeline/spoken-times.js';
import type { SlideTime, SpeechTrack } from './timeline/timeline.js';

/** A presenter pack on this machine. */
export interface PackSource {
  readonly folder: string;
  /** Changes with the pack's contents. */
  readonly version: string;
}

/** A fetched clip. */
export interface Clip {
  readonly file: string;
  /** Null: unknown; the clip is stretched. */
  readonly size: Size | null;
}

/** The frame that slides are drawn for; `view` maps canvas units to px. */
export interface Viewport {
  readonly format: VideoFormat;
  readonly aspect: AspectFormat;
  readonly view: Matrix;
}

/** A slide with all external resources resolved, and hashes of everything that determines its pixels. */
export interface ResolvedSlide {
  readonly slide: SlideDocument;
  readonly presenter: { readonly pack: PackSource; readonly placement: PresenterPlacement } | null;
  readonly clips: ReadonlyMap<string, Clip>;
  readonly face: FaceTrackInput;
  /** Length of the slide. */
  readonly frames: number;
  readonly fps: FrameRate;
  /** Hash of the objects on the slide. */
  readonly lookHash: string;
  /** Hash of the presenter's movement. */
  readonly faceHash: string;
}

/** Options of {@link resolveSlide}. */
export interface ResolveOptions {
  readonly viewport: Viewport;
  readonly assets: Assets;
  readonly pictures: Pictures;
  readonly fonts: Fonts;
  readonly seed: number;
  readonly resolvePack: (code: string) => Promise<PackSource>;
  readonly clipSize: ((file: string) => Promise<Size>) | null;
}

/** One slide's position in the document and in time. */
export interface SlideInTime {
  readonly slide: SlideDocument;
  readonly index: number;
  readonly time: SlideTime;
  readonly speech: SpeechTrack | null;
}

/** Fetches and hashes everything that `slide` shows. Throws {@link SceneError}. */
export async function resolveSlide(place: SlideInTime, options: ResolveOptions): Promise<ResolvedSlide> {
  const { index } = place;
  const pictured = atSpokenTimes(place, options.viewport.format.fps);
  const slide = await withFilms(pictured, options);
  const presenter = await resolvePresenter(slide, `slides[${index}].avatar`, options);
  const clips = new Map<string, Clip>();
  const media: string[] = [];
  const { assets } = options;
  const addClip = async (src: string, at: string, open = assets.file): Promise<void> => {
    const { clip, hash } = await fetchClip({ src, at, open }, options);
    clips.set(src, clip);
    media.push(hash);
  };
  const { background } = slide;
  const behind = `slides[${index}].canvas.background`;
  if (background.kind === 'picture') media.push(await options.pictures.hash(background.src, behind));
  if (background.kind === 'video') await addClip(background.src, behind);
  for (const object of everyObject(slide.objects)) {
    if (object.type === 'image') media.push(await options.pictures.hash(object.src, `${object.at}.src`));
    const wasPicture = pictured.objects.some(({ at, type }) => at === object.at && type === 'image');
    if (object.type === 'video') await addClip(object.src, `${object.at}.src`, wasPicture ? assets.film : assets.file);
  }
  const face = faceOf(place, { fps: options.viewport.format.fps, seed: options.seed });
  return {
    slide,
    presenter,
    clips,
    face,
    frames: place.time.frames,
    fps: options.viewport.format.fps,
    lookHash: hashOf([
      {
        ...slide,
        id: 0,
        title: null,
        speech: '',
        recording: null,
        voice: null,
        voiceProvider: null,
        duration: null,
        expression: null,
        gestures: true,
      },
      media,
      options.fonts.fingerprint,
      presenter === null ? null : [presenter.pack.version, presenter.placement],
    ]),
    faceHash: presenter === null ? '' : hashOf(face),
  };
}

/** The slide with animated pictures as silent films; cropped ones, those that cover their box, and those in groups stay still. */
async function withFilms(slide: SlideDocument, { assets, pictures }: ResolveOptions): Promise<SlideDocument> {
  if (assets.film === undefined) return slide;
  const objects = await Promise.all(
    slide.objects.map(async (object): Promise<SceneObject> => {
      if (object.type !== 'image' || object.crop !== null || object.fit !== 'contain') return object;
      if (!(await pictures.moves(object.src, `${object.at}.src`))) return object;
      const { fit, crop, ...rest } = object;
      return { ...rest, type: 'video', startSeconds: 0, endSeconds: null, loop: true, volume: 0 };
    }),
  );
  return { ...slide, objects };
}

/** All objects, including those in groups and clip paths. */
export function* everyObject(objects: readonly SceneObject[]): Generator<SceneObject> {
  for (const object of objects) {
    yield object;
    if (object.clip !== null) yield* everyObject([object.clip]);
    if (object.type === 'group') yield* everyObject(object.objects);
  }
}

async function resolvePresenter(
  slide: SlideDocument,
  at: string,
  options: ResolveOptions,
): Promise<ResolvedSlide['presenter']> {
  if (slide.avatar === null) return null;
  const { folder, version } = await options.resolvePack(slide.avatar).catch((cause: unknown) => {
    throw new SceneError(at, reasonOf(cause), { cause });
  });
  const { format, view } = options.viewport;
  const avatar = slide.objects.find((object) => object.type === 'avatar');
  const hasObjects = slide.objects.length > 0;
  const isPlaced = avatar !== undefined && avatar.width > 0 && avatar.height > 0;
  const placement = isPlaced ? placeAvatar(avatar, view) : defaultPlacement(format, hasObjects);
  return { pack: { folder: framedFolder(folder, slide.framing), version }, placement };
}

async function fetchClip(
  { src, at, open }: { src: string; at: string; open: (src: string) => Promise<string> },
  options: ResolveOptions,
): Promise<{ clip: Clip; hash: string }> {
  try {
    const file = await open(src);
    const hash = await hashFile(file);
    const size = options.clipSize === null ? null : await options.clipSize(file);
    return { clip: { file, size }, hash };
  } catch (cause) {
    throw new SceneError(at, `the clip cannot be used: ${reasonOf(cause)}`, { cause });
  }
}

/** Inputs of the presenter's animation on the slide's own clock. */
export function faceOf(
  { slide, time, speech }: Pick<SlideInTime, 'slide' | 'time' | 'speech'>,
  { fps, seed }: { readonly fps: FrameRate; readonly seed: number },
): FaceTrackInput {
  const begin = frameToSample(time.startFrame, fps);
  // With the presenter, so that two of them do not blink and move alike.
  const seedBytes = createHash('sha256').update(`${seed}:${slide.id}:${slide.avatar}`).digest();
  const manner = { seed: seedBytes.readInt32BE(0), expression: slide.expression, gestures: slide.gestures };
  if (speech === null || time.speechStart === null) return { ...manner, stretches: [] };
  const { samples, marks, energy } = speech;
  return { ...manner, stretches: [{ start: time.speechStart - begin, samples, marks, energy }] };
}

/** SHA-256 in hex of a JSON-like value. Places in the document (`at`) are ignored, so that slides can be reordered. */
export function hashOf(value: unknown): string {
  const text = JSON.stringify(value, (key, part: unknown) => {
    if (key === 'at') return undefined;
    if (part instanceof Float32Array) {
      return createHash('sha256')
        .update(new Uint8Array(part.buffer, part.byteOffset, part.byteLength))
        .digest('hex');
    }
    return part;
  });
  return createHash('sha256').update(text).digest('hex');
}
