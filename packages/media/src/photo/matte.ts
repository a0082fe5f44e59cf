import { chessboardDistance } from '@figurehead/presenter/distance';
import { smoothstep } from '@figurehead/presenter/easing';
import { fillUnknown } from './fill.js';
import { findMatte } from './matting.js';
import type { Network } from './network/graph.js';
import { enlarge } from './network/operations.js';
import type { Tensor } from './network/tensor.js';
import type { Picture, Point } from './picture.js';
import { CHIN, type FaceMesh } from './shaping/mesh.js';

/** Opacities below the first are transparent, from the second on opaque. */
const CLEAR = 0.06;
const SOLID = 0.94;

/** The network sees the head in a square of this side, in heights of the face. Weight of that close view against the view of the whole picture. */
const HEAD = 2.2;
const CLOSER = 0.75;

/** Greatest distance of a strand of hair from opaque px, px; further half-transparent px are pieces of the background. */
const STRAND = 14;

/** From this opacity on colours belong to the person; below it they are mixed with the background. */
const PURE = 0.97;

/** Opacities over which a px fades to its own colour: in a picture that was cut out before, whose edges contain its former background; and after matting. */
const MIXED = [0.5, 1] as const;
const UNMIXED = [0, 0.1] as const;

/** A picture of which at least this share is transparent is already cut out. */
const CUT_OUT = 0.05;

/**
 * Cuts the person out of a portrait, by the picture's own transparency or by a matte around the network's outline.
 */
export function cutOutPerson(picture: Picture, mesh: FaceMesh, segmenter: Network): Picture {
  if (isCutOut(picture)) return { ...picture, data: withoutGround(picture, MIXED) };
  const { width, height } = picture;
  const size = { width, height };
  const seed = mesh.points[1]!;
  const seen = outline(picture, mesh, segmenter);
  const body = joined(seen, { ...size, seed, least: 0.1 });
  const rough = seen.map((value, i) => (body[i] === 1 ? value : 0));
  const { alpha, colour } = findMatte(picture, rough, mesh.points[CHIN]!.y);
  const solid = joined(alpha, { ...size, seed, least: 0.5 });
  const away = chessboardDistance((x, y) => solid[y * width + x] === 1, width, height);
  const data = new Uint8Array(width * height * 4);
  for (let i = 0; i < alpha.length; i++) {
    for (let c = 0; c < 3; c++) data[i * 4 + c] = colour[i * 3 + c]!;
    const near = 1 - smoothstep(STRAND / 2, STRAND, away[i]!);
    data[i * 4 + 3] = Math.round(255 * near * Math.min(Math.max((alpha[i]! - CLEAR) / (SOLID - CLEAR), 0), 1));
  }
  return { width, height, data: withoutGround({ width, height, data }, UNMIXED) };
}

/** The network's mask of the whole picture, which it sees coarsely, and of the head, which it sees more closely. */
function outline(picture: Picture, mesh: FaceMesh, segmenter: Network): Float32Array {
  const { width, height } = picture;
  const run = (part: Picture): Float32Array => {
    const seen = segmenter.run(shrink(part, segmenter.side, segmenter.side)).get('output')!;
    return enlarge(seen, part.height, part.width).data;
  };
  const whole = run(picture);
  const nose = mesh.points[1]!;
  const side = Math.round(
    HEAD * Math.hypot(mesh.points[10]!.x - mesh.points[CHIN]!.x, mesh.points[10]!.y - mesh.points[CHIN]!.y),
  );
  const left = Math.round(Math.min(Math.max(nose.x - side / 2, 0), Math.max(0, width - side)));
  const top = Math.round(Math.min(Math.max(nose.y - side / 2, 0), Math.max(0, height - side)));
  const part = { width: Math.min(side, width), height: Math.min(side, height) };
  const close = run(cropped(picture, { left, top, ...part }));
  for (let y = 0; y < part.height; y++) {
    for (let x = 0; x < part.width; x++) {
      // Sides that are the picture's own need no transition.
      const fromEdge = Math.min(
        left > 0 ? x : part.width,
        top > 0 ? y : part.height,
        left + part.width < width ? part.width - 1 - x : part.width,
        top + part.height < height ? part.height - 1 - y : part.height,
      );
      const at = (top + y) * width + left + x;
      whole[at] =
        whole[at]! + smoothstep(0, 0.15 * side, fromEdge) * CLOSER * (close[y * part.width + x]! - whole[at]!);
    }
  }
  return whole;
}

function cropped(
  { width, data }: Picture,
  part: { readonly left: number; readonly top: number; readonly width: number; readonly height: number },
): Picture {
  const out = new Uint8Array(part.width * part.height * 4);
  for (let y = 0; y < part.height; y++) {
    const from = ((part.top + y) * width + part.left) * 4;
    out.set(data.subarray(from, from + part.width * 4), y * part.width * 4);
  }
  return { width: part.width, height: part.height, data: out };
}

/** Whether a picture has a transparent background already. */
export function isCutOut({ data }: Picture): boolean {
  let clear = 0;
  for (let i = 3; i < data.length; i += 4) if (data[i]! < 128) clear++;
  return clear > (CUT_OUT * data.length) / 4;
}

/** 1 where values from `least` on are connected to the face. */
function joined(
  values: Float32Array,
  { width, height, seed, least }: { width: number; height: number; seed: Point; least: number },
): Uint8Array {
  const inside = (value: number, length: number): number => Math.min(Math.max(Math.round(value), 0), length - 1);
  const start = inside(seed.y, height) * width + inside(seed.x, width);
  const waiting = [start];
  const isSeen = new Uint8Array(values.length);
  isSeen[start] = 1;
  for (let at = waiting.pop(); at !== undefined; at = waiting.pop()) {
    const x = at % width;
    for (let side = 0; side < 4; side++) {
      const next = side < 2 ? at + (side === 0 ? -1 : 1) : at + (side === 2 ? -width : width);
      if ((side === 0 && x === 0) || (side === 1 && x === width - 1)) continue;
      if (next < 0 || next >= values.length || isSeen[next] === 1 || values[next]! < least) continue;
      isSeen[next] = 1;
      waiting.push(next);
    }
  }
  return isSeen;
}

/** Removes the background from the colours of half-transparent px: they get those of the opaque px around them. */
function withoutGround({ width, height, data }: Picture, [from, until]: readonly [number, number]): Uint8Array {
  const filled = fillUnknown({ width, height, data }, (i) => data[i * 4 + 3]! >= 255 * PURE);
  const out = Uint8Array.from(data);
  for (let i = 0; i < width * height; i++) {
    const alpha = data[i * 4 + 3]! / 255;
    if (alpha >= PURE) continue;
    const own = smoothstep(from, until, alpha);
    for (let c = 0; c < 3; c++) {
      const pure = filled[i * 3 + c]!;
      out[i * 4 + c] = Math.round(pure + own * (data[i * 4 + c]! - pure));
    }
  }
  return out;
}

/** A picture at another size by averaging, colours 0…1. */
function shrink(picture: Picture, width: number, height: number): Tensor {
  const data = new Float32Array(width * height * 3);
  for (let y = 0; y < height; y++) {
    const [top, foot] = spanOf(y, height, picture.height);
    for (let x = 0; x < width; x++) {
      const [left, right] = spanOf(x, width, picture.width);
      const to = (y * width + x) * 3;
      const share = 1 / (255 * (foot - top) * (right - left));
      for (let c = 0; c < 3; c++) {
        let sum = 0;
        for (let row = top; row < foot; row++) {
          const first = (row * picture.width + left) * 4 + c;
          for (let at = first; at < first + (right - left) * 4; at += 4) sum += picture.data[at]!;
        }
        data[to + c] = sum * share;
      }
    }
  }
  return { width, height, channels: 3, data };
}

/** The px along a side that one px of a smaller picture covers, at least one. */
function spanOf(index: number, size: number, from: number): [number, number] {
  const start = Math.min(Math.floor((index * from) / size), from - 1);
  return [start, Math.max(start + 1, Math.floor(((index + 1) * from) / size))];
}
