import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Manifest, readManifest } from '@figurehead/presenter';
import sharp from 'sharp';
import { folderFiles } from '../presenter/folders.js';
import type { Picture, Point } from './picture.js';
import { DisplacementField } from './shaping/field.js';

/**
 * A presenter that supplies what a portrait does not show: facial motion, closed lids, depth.
 */
export interface Donor {
  readonly manifest: Manifest;
  /** The plate on a plain background, as networks expect it. */
  readonly onGround: Picture;
  /** The closed eyes, size of the eye box. */
  readonly closed: Picture;
  /** Visible eyeballs 0…255, size of the eye box. */
  readonly eyeMask: Uint8Array;
  /** Where each point of the reference mouth moves in a patch, plate px; in the order of the patches. */
  readonly motions: readonly DisplacementField[];
  readonly depth: GreyPicture;
}

/** A picture of one channel, 8 bit, rows from the top, no padding. */
export interface GreyPicture {
  readonly width: number;
  readonly height: number;
  readonly data: Uint8Array;
}

/** Background on which networks see a cut-out person. */
export const GROUND = { r: 128, g: 132, b: 138 };

/** The closed mouth at rest, as in the plate. */
export const RESTING_PATCH = 'g02';

/**
 * Ellipse of the lips as shares of the mouth box: motion inside it is kept, motion outside it is smoothed
 * in this number of passes.
 */
const LIPS = { y: 0.36, width: 0.3, height: 0.2 };
const SMOOTH_PASSES = 16;

/** Distance below an eye at which the cheek's colour is measured, in iris radii. */
const CHEEK_RADII = 5;

/** Reads the manifest of a pack that may become a donor. */
export function readDonorManifest(folder: string): Promise<Manifest> {
  return readManifest(folderFiles(folder));
}

/** Mean colour of the cheeks of a pack's plate, 0…255. */
export async function cheekColour(folder: string, { base, eye }: Manifest): Promise<[number, number, number]> {
  const squares = eye.eyes.map(({ x, y, r }) => {
    const side = Math.round(r);
    return { left: Math.round(eye.box[0] + x - side / 2), top: Math.round(eye.box[1] + y + CHEEK_RADII * r), side };
  });
  const ends = (axis: 'left' | 'top'): [number, number] => [
    Math.min(...squares.map((square) => square[axis])),
    Math.max(...squares.map((square) => square[axis] + square.side)),
  ];
  // Decoded once for both.
  const [[left, right], [top, foot]] = [ends('left'), ends('top')];
  const { data, info } = await sharp(join(folder, base))
    .extract({ left, top, width: right - left, height: foot - top })
    .raw()
    .toBuffer({ resolveWithObject: true });
  const sum = [0, 0, 0];
  for (const { side, ...square } of squares) {
    const cheek = await sharp(data, { raw: info })
      .extract({ left: square.left - left, top: square.top - top, width: side, height: side })
      .removeAlpha()
      .resize(1, 1, { fit: 'fill' })
      .raw()
      .toBuffer();
    for (let c = 0; c < 3; c++) sum[c] = sum[c]! + cheek[c]! / 2;
  }
  return [sum[0]!, sum[1]!, sum[2]!];
}

/** Reads everything that a donor supplies. */
export async function readDonor(folder: string): Promise<Donor> {
  const manifest = await readDonorManifest(folder);
  const { base, depth, eye, mouth } = manifest;
  const [onGround, closed, eyeMask, depthData, flow] = await Promise.all([
    decode(join(folder, base)),
    decode(join(folder, eye.stages.at(-1)!.file)),
    decodeGrey(join(folder, eye.mask)),
    decodeGrey(join(folder, depth.file)),
    readFile(join(folder, mouth.flow.file)),
  ]);
  return {
    manifest,
    onGround,
    closed,
    eyeMask: eyeMask.data,
    motions: readMotions(flow, mouth),
    depth: depthData,
  };
}

function readMotions(bytes: Buffer, { box, flow, patches }: Manifest['mouth']): DisplacementField[] {
  const { gw, gh, cell, scale } = flow;
  const lattice = { x: box[0], y: box[1], cell, columns: gw, rows: gh };
  const count = gw * gh * 2;
  return patches.map((_, patch) => {
    const values = new Float32Array(count);
    for (let i = 0; i < count; i++) values[i] = bytes.readInt16LE((patch * count + i) * 2) / scale;
    return new DisplacementField(lattice, values).smoothed(SMOOTH_PASSES, awayFromLips);
  });
}

/**
 * 1 where motion is smoothed, 0 at the lips. At the donor's own outline motion is ragged, which would show at a
 * portrait's outline.
 */
function awayFromLips(across: number, down: number): number {
  return Math.min(Math.max(2 * (Math.hypot((across - 0.5) / LIPS.width, (down - LIPS.y) / LIPS.height) - 1), 0), 1);
}

/** Transparent parts show {@link GROUND}. */
async function decode(file: string): Promise<Picture> {
  const { data, info } = await sharp(file)
    .flatten({ background: GROUND })
    .ensureAlpha()
    .raw()
    .toBuffer({ resolveWithObject: true });
  return { width: info.width, height: info.height, data };
}

async function decodeGrey(file: string): Promise<GreyPicture> {
  const { data, info } = await sharp(file).toColourspace('b-w').raw().toBuffer({ resolveWithObject: true });
  return { width: info.width, height: info.height, data };
}

/** A value of a grey picture between its pixels; its edge is repeated outside. */
export function greyAt({ width, height, data }: GreyPicture, { x, y }: Point): number {
  const u = Math.min(Math.max(x, 0), width - 1);
  const v = Math.min(Math.max(y, 0), height - 1);
  const [i, j] = [Math.min(Math.floor(u), width - 2), Math.min(Math.floor(v), height - 2)];
  const [fu, fv] = [u - i, v - j];
  const at = j * width + i;
  return (
    (data[at]! * (1 - fu) + data[at + 1]! * fu) * (1 - fv) +
    (data[at + width]! * (1 - fu) + data[at + width + 1]! * fu) * fv
  );
}
