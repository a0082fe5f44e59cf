import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { pipeline } from 'node:stream/promises';
import type { AspectFormat, SceneObject, SlideDocument } from '@figurehead/contract/document';
import type { FaceTrackInput } from '../face/contract.js';
import type { VideoFormat } from '../frame.js';
import type { PresenterPlacement } from '../presenter/contract.js';
import { type FrameRate, frameToSample } from '../time.js';
import { type Assets, messageOf, type Pictures, SceneError } from './assets.js';
import type { Matrix, Size } from './geometry.js';
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

/** A clip that has been fetched. */
export interface Clip {
  readonly file: string;
  /** Null: not known; the clip is stretched. */
  readonly size: Size | null;
}

/** The frame that slides are drawn for; `view` maps canvas units to px. */
export interface Stage {
  readonly format: VideoFormat;
  readonly aspect: AspectFormat;
  readonly view: Matrix;
}

/** A slide with everything from outside at hand, and hashes of all that decides its pixels. */
export interface SlideCast {
  readonly slide: SlideDocument;
  readonly presenter: { readonly pack: PackSource; readonly placement: PresenterPlacement } | null;
  readonly clips: ReadonlyMap<string, Clip>;
  readonly face: FaceTrackInput;
  /** Length of the slide. */
  readonly frames: number;
  readonly fps: FrameRate;
  /** Of what stands on the slide. */
  readonly lookHash: string;
  /** Of how its presenter moves. */
  readonly faceHash: string;
}

/** What casting needs. */
export interface CastingOptions {
  readonly stage: Stage;
  readonly assets: Assets;
  readonly pictures: Pictures;
  readonly fonts: Fonts;
  readonly seed: number;
  readonly resolvePack: (code: string) => Promise<PackSource>;
  readonly clipSize: ((file: string) => Promise<Size>) | null;
}

/** One slide's place in the document and in time. */
export interface SlideTurn {
  readonly slide: SlideDocument;
  readonly index: number;
  readonly time: SlideTime;
  readonly speech: SpeechTrack | null;
}

/** Fetches and hashes all that `slide` shows. Throws {@link SceneError}. */
export async function castSlide(turn: SlideTurn, options: CastingOptions): Promise<SlideCast> {
  const { index } = turn;
  const slide = atSpokenTimes(turn, options.stage.format.fps);
  const presenter = await castPresenter(slide, `slides[${index}].avatar`, options);
  const clips = new Map<string, Clip>();
  const media: string[] = [];
  const addClip = async (src: string, at: string): Promise<void> => {
    const { clip, hash } = await fetchClip(src, at, options);
    clips.set(src, clip);
    media.push(hash);
  };
  const { background } = slide;
  const behind = `slides[${index}].canvas.background`;
  if (background.kind === 'picture') media.push(await options.pictures.hash(background.src, behind));
  if (background.kind === 'video') await addClip(background.src, behind);
  for (const object of everyObject(slide.objects)) {
    if (object.type === 'image') media.push(await options.pictures.hash(object.src, `${object.at}.src`));
    if (object.type === 'video') await addClip(object.src, `${object.at}.src`);
  }
  const face = faceOf(turn, { fps: options.stage.format.fps, seed: options.seed });
  return {
    slide,
    presenter,
    clips,
    face,
    frames: turn.time.frames,
    fps: options.stage.format.fps,
    lookHash: hashOf([
      { ...slide, id: 0, title: null, speech: '', voice: null, voiceProvider: null, duration: null, expression: null },
      media,
      options.fonts.fingerprint,
      presenter === null ? null : [presenter.pack.version, presenter.placement],
    ]),
    faceHash: presenter === null ? '' : hashOf(face),
  };
}

/** All objects, those inside groups and clip paths included. */
export function* everyObject(objects: readonly SceneObject[]): Generator<SceneObject> {
  for (const object of objects) {
    yield object;
    if (object.clip !== null) yield* everyObject([object.clip]);
    if (object.type === 'group') yield* everyObject(object.objects);
  }
}

async function castPresenter(
  slide: SlideDocument,
  at: string,
  options: CastingOptions,
): Promise<SlideCast['presenter']> {
  if (slide.avatar === null) return null;
  const pack = await options.resolvePack(slide.avatar).catch((cause: unknown) => {
    throw new SceneError(at, messageOf(cause), { cause });
  });
  const { format, aspect, view } = options.stage;
  const stand = slide.objects.find((object) => object.type === 'avatar');
  const hasObjects = slide.objects.length > 0;
  const isPlaced = stand !== undefined && stand.width > 0 && stand.height > 0;
  const placement = isPlaced ? placeAvatar(stand, view) : defaultPlacement(aspect, format, hasObjects);
  return { pack, placement };
}

async function fetchClip(src: string, at: string, options: CastingOptions): Promise<{ clip: Clip; hash: string }> {
  try {
    const file = await options.assets.file(src);
    const hash = createHash('sha256');
    await pipeline(createReadStream(file), hash);
    const size = options.clipSize === null ? null : await options.clipSize(file);
    return { clip: { file, size }, hash: hash.digest('hex') };
  } catch (cause) {
    throw new SceneError(at, `the clip cannot be used: ${messageOf(cause)}`, { cause });
  }
}

/** What a slide's presenter is animated from, on the slide's own clock. */
export function faceOf(
  { slide, time, speech }: Pick<SlideTurn, 'slide' | 'time' | 'speech'>,
  { fps, seed }: { readonly fps: FrameRate; readonly seed: number },
): FaceTrackInput {
  const begin = frameToSample(time.startFrame, fps);
  const seedBytes = createHash('sha256').update(`${seed}:${slide.id}`).digest();
  const manner = { seed: seedBytes.readInt32BE(0), expression: slide.expression };
  if (speech === null || time.speechStart === null) return { ...manner, stretches: [] };
  const { samples, marks, energy } = speech;
  return { ...manner, stretches: [{ start: time.speechStart - begin, samples, marks, energy }] };
}

/** SHA-256 in hex of a JSON-like value; places in the document (`at`) do not count, so that slides can be reordered. */
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
