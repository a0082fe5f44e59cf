import { promisify } from 'node:util';
import { deserialize, serialize } from 'node:v8';
import { deflate, inflate } from 'node:zlib';
import { allocateYuv, copyYuv, wholeOf, type YuvaFrame, type YuvFrame } from '@figurehead/presenter/frame';
import type { Layer, LayerShape } from '../contract.js';
import type { ResolvedSlide } from '../resolved-slide.js';
import type { ComposedSlide } from '../slide.js';

// A drawn slide as bytes. Only pictures are stored; the presenter's motion and the clips' files come from the slide
// that reads them.

const squeeze = promisify(deflate);
const stretch = promisify(inflate);

/** Flat colours shrink to a hundredth even at this level, and a photograph takes at most 60 ms. */
const EFFORT = 1;

interface KeptPicture {
  readonly width: number;
  readonly height: number;
  /** Consecutive planes without padding: y, u, v and, with transparency, a. */
  readonly planes: Uint8Array;
  readonly alpha: boolean;
}

type KeptLayer =
  | (Omit<Extract<Layer, { kind: 'sprite' }>, 'picture'> & { readonly picture: KeptPicture })
  | Omit<Extract<Layer, { kind: 'presenter' }>, 'face' | 'pack'>
  | (Omit<Extract<Layer, { kind: 'video' }>, 'file'> & { readonly src: string });

interface KeptDrawing {
  readonly base: KeptPicture;
  readonly transparent: boolean;
  readonly layers: readonly KeptLayer[];
}

/** The bytes of a drawn slide. `undefined` when it cannot be stored. */
export async function formatDrawing(drawing: ComposedSlide, resolved: ResolvedSlide): Promise<Buffer | undefined> {
  const sources = new Map([...resolved.clips].map(([src, clip]) => [clip.file, src]));
  const layers: KeptLayer[] = [];
  for (const layer of drawing.layers) {
    if (layer.kind === 'captions') return undefined;
    if (layer.kind === 'sprite') layers.push({ ...layer, picture: keep(layer.picture) });
    else if (layer.kind === 'presenter') {
      const { face: _face, pack: _pack, ...rest } = layer;
      layers.push({ ...rest, ...owned(rest.shape) });
    } else {
      const { file, ...rest } = layer;
      const src = sources.get(file);
      if (src === undefined) return undefined;
      layers.push({ ...rest, ...owned(rest.shape), src });
    }
  }
  const kept: KeptDrawing = { base: keep(drawing.base), transparent: drawing.transparent === true, layers };
  return squeeze(serialize(kept), { level: EFFORT });
}

/**
 * The slide from the bytes of {@link formatDrawing}, with the presenter and the clips of `resolved`. `undefined` when
 * they are damaged.
 */
export async function parseDrawing(bytes: Buffer, resolved: ResolvedSlide): Promise<ComposedSlide | undefined> {
  const kept = await stretch(bytes).then(
    (raw) => deserialize(raw) as KeptDrawing,
    () => undefined,
  );
  if (kept === undefined) return undefined;
  const layers: Layer[] = [];
  for (const layer of kept.layers) {
    if (layer.kind === 'sprite') layers.push({ ...layer, picture: restore(layer.picture) as YuvaFrame });
    else if (layer.kind === 'presenter') {
      if (resolved.presenter === null) return undefined;
      layers.push({ ...layer, face: resolved.face, pack: resolved.presenter.pack.folder });
    } else {
      const { src, ...rest } = layer;
      const clip = resolved.clips.get(src);
      if (clip === undefined) return undefined;
      layers.push({ ...rest, file: clip.file });
    }
  }
  return { base: restore(kept.base), ...(kept.transparent && { transparent: true as const }), layers };
}

/** The shape with its mask copied out of shared memory, which cannot be written to a file. */
function owned(shape: LayerShape | undefined): { readonly shape?: LayerShape } {
  if (shape?.mask === undefined) return {};
  return { shape: { ...shape, mask: { ...shape.mask, a: Uint8Array.from(shape.mask.a) } } };
}

function keep(frame: YuvFrame | YuvaFrame): KeptPicture {
  const { width, height } = frame;
  const alpha = 'a' in frame;
  const luma = width * height;
  const planes = new Uint8Array(luma * (alpha ? 2.5 : 1.5));
  copyYuv(
    frame,
    wholeOf(frame),
    allocateYuv(width, height, () => planes.buffer),
  );
  if (!alpha) return { width, height, planes, alpha };
  for (let row = 0; row < height; row++) {
    const from = row * frame.yStride;
    planes.set(frame.a.subarray(from, from + width), luma * 1.5 + row * width);
  }
  return { width, height, planes, alpha };
}

function restore({ width, height, planes, alpha }: KeptPicture): YuvFrame | YuvaFrame {
  const luma = width * height;
  // In shared memory, like every picture that threads read.
  const frame = allocateYuv(width, height);
  new Uint8Array(frame.y.buffer).set(planes.subarray(0, luma * 1.5));
  if (!alpha) return frame;
  const a = new Uint8Array(new SharedArrayBuffer(luma));
  a.set(planes.subarray(luma * 1.5));
  return { ...frame, a };
}
