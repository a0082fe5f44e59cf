import { promisify } from 'node:util';
import { deserialize, serialize } from 'node:v8';
import { deflate, inflate } from 'node:zlib';
import { allocateYuv, type YuvaFrame, type YuvFrame } from '../../frame.js';
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
  const planes = new Uint8Array(width * height * (alpha ? 2.5 : 1.5));
  let at = 0;
  const put = (plane: Uint8Array, stride: number, columns: number, rows: number): void => {
    for (let row = 0; row < rows; row++) {
      planes.set(plane.subarray(row * stride, row * stride + columns), at);
      at += columns;
    }
  };
  put(frame.y, frame.yStride, width, height);
  put(frame.u, frame.uvStride, width / 2, height / 2);
  put(frame.v, frame.uvStride, width / 2, height / 2);
  if ('a' in frame) put(frame.a, frame.yStride, width, height);
  return { width, height, planes, alpha };
}

function restore({ width, height, planes, alpha }: KeptPicture): YuvFrame | YuvaFrame {
  // In shared memory, like every picture that threads read.
  const frame = allocateYuv(width, height);
  const luma = width * height;
  frame.y.set(planes.subarray(0, luma));
  frame.u.set(planes.subarray(luma, luma * 1.25));
  frame.v.set(planes.subarray(luma * 1.25, luma * 1.5));
  if (!alpha) return frame;
  const a = new Uint8Array(new SharedArrayBuffer(luma));
  a.set(planes.subarray(luma * 1.5));
  return { ...frame, a };
}
