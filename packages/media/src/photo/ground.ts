import { chessboardDistance } from '@figurehead/presenter/distance';
import { smoothstep } from '@figurehead/presenter/easing';
import { fillUnknown } from './fill.js';
import type { Picture } from './picture.js';
import { CHIN, type FaceMesh } from './shaping/mesh.js';

/** A photograph as two layers, both as large as it and even: what moves, and what stays behind it. */
export interface Layers {
  /** The photograph; opaque at the person, and fading out in the surroundings. */
  readonly moving: Picture;
  /** The photograph without the person. */
  readonly still: Picture;
}

/** From this opacity on the matte counts as person, 0…255. */
const PERSON = 20;

/** Distance from the person over which the surroundings are taken from further away, because hair may reach there, px. */
const UNCERTAIN = 4;

/**
 * Distances from the person up to which the surroundings move along and from which they stay, px. At rest both layers
 * show the photograph there, so that no outline is visible and no hair is lost.
 */
const ALONG = 8;
const STILL = 30;

/** Px of the person in the first row or column of a picture from which its edge cuts the head. */
const CUT_PX = 12;

/** Separates a photograph into a person and the background, by the person's matte. */
export function separate(photograph: Picture, { data: matte }: Picture): Layers {
  const width = photograph.width & ~1;
  const height = photograph.height & ~1;
  const data = new Uint8Array(width * height * 4);
  for (let y = 0; y < height; y++) {
    const from = y * photograph.width * 4;
    data.set(photograph.data.subarray(from, from + width * 4), y * width * 4);
  }
  const alphaAt = (x: number, y: number): number => matte[(y * photograph.width + x) * 4 + 3]!;
  const distance = chessboardDistance((x, y) => alphaAt(x, y) >= PERSON, width, height);
  const filled = fillUnknown({ width, height, data }, (i) => distance[i]! > UNCERTAIN);
  const still = new Uint8Array(width * height * 4);
  for (let i = 0; i < width * height; i++) {
    for (let c = 0; c < 3; c++) still[i * 4 + c] = Math.round(filled[i * 3 + c]!);
    still[i * 4 + 3] = 255;
    data[i * 4 + 3] = Math.round(255 * (1 - smoothstep(ALONG, STILL, distance[i]!)));
  }
  return { moving: { width, height, data }, still: { width, height, data: still } };
}

/** Whether the picture's top, or a side above the chin, cuts through the person. */
export function isHeadCut({ width, height, data }: Picture, { points }: FaceMesh): boolean {
  const isSolid = (x: number, y: number): boolean => data[(y * width + x) * 4 + 3]! > 128;
  const chin = Math.min(Math.round(points[CHIN]!.y), height);
  let [top, left, right] = [0, 0, 0];
  for (let x = 0; x < width; x++) if (isSolid(x, 0)) top++;
  for (let y = 0; y < chin; y++) {
    if (isSolid(0, y)) left++;
    if (isSolid(width - 1, y)) right++;
  }
  return Math.max(top, left, right) >= CUT_PX;
}
