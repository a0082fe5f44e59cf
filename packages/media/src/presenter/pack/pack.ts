import { readdir } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { rgbaToYuva, rgbToYuv } from '../../colour.js';
import { ARM_MOTIONS, ARMS, type Arm, type ArmMotion } from '../../face/contract.js';
import type { RgbaImage, YuvaFrame, YuvFrame } from '../../frame.js';
import { loadSharp } from '../../sharp.js';
import { PackError, type PresenterPack } from '../contract.js';
import { shownPart } from '../crop.js';
import { type BodyFile, composeBody, depthWithBody, manifestWithBody, readBody } from './body.js';
import { blurDepth, DEPTH_BLUR, type DepthMap } from './depth.js';
import { framingOf, headFrame } from './framing.js';
import { boxSize, describe, type Manifest, type PlateBox, readBytes, readManifest } from './manifest.js';
import { isVariantFolder, packOfVariant, readVariant, type Variant } from './variant.js';

/** A rectangle of a picture that belongs at `box` of the plate; its planes are padded to even plate px by their own edge. */
export interface Inset {
  /** Plate px of the planes' first pixel; even. */
  readonly x: number;
  readonly y: number;
  readonly planes: YuvFrame;
}

/** The pictures of moving arms: of each motion its box, and one picture per key, the rest first. */
export interface LoadedArms {
  /** Plate px per px of the pictures. */
  readonly step: number;
  readonly motions: Readonly<Record<ArmMotion, Readonly<Record<Arm, ArmPictures>>>>;
}

/** The keys of one arm in one motion. */
interface ArmPictures {
  /** Plate px, multiples of 8. */
  readonly box: PlateBox;
  readonly keys: readonly YuvaFrame[];
}

/** A pack's pixels as `place` needs them. All buffers are in shared memory and read-only. */
export interface LoadedPack extends PresenterPack {
  readonly manifest: Manifest;
  /** Plate, colour not premultiplied; alpha from {@link OPAQUE} up is set to 255. */
  readonly plate: YuvaFrame;
  /** The static background behind the person, as large as the plate. */
  readonly ground?: YuvFrame;
  /** Blurred depth values 0…255 on the grid of `manifest.depth`. */
  readonly depth: DepthMap;
  /** Visibility of the eyeballs, size of the eye box. */
  readonly eyeMask: Uint8Array;
  /** Lids, in the order of `manifest.eye.stages`. */
  readonly lids: readonly Inset[];
  /** Mouths, in the order of `manifest.mouth.patches`. */
  readonly mouths: readonly Inset[];
  /** Motion in plate px: one patch after the other, rows of (dx, dy). */
  readonly flow: Float32Array;
  /** Plate px per px of a pose. */
  readonly poseUnit: number;
  /** Present in packs that are shown down to the waist. */
  readonly arms?: LoadedArms;
}

/** Height of the plate to which poses refer, px. */
const POSE_HEIGHT = 1080;

/** Plate alpha from which a pixel is fully opaque (presenters/FORMAT.md 1). */
export const OPAQUE = 250;

/**
 * Loads a presenter pack and validates all its files (presenters/FORMAT.md).
 * @param dir folder with `manifest.json` or one of a variant inside it (`PACK/variants/NAME`); with a
 * framing by `framedFolder`
 * @returns the decoded pack in shared memory: send it to other threads instead of loading it again. Nothing has to be
 * closed.
 * @throws PackError naming the file, what was expected of it and what was found.
 */
export async function loadPack(dir: string): Promise<PresenterPack> {
  const look = await readLook(dir);
  const { home, variant, own, body, manifest, file } = look;
  const { eye, mouth, depth } = own;
  const depthSize = { width: Math.ceil(own.width / depth.scale), height: Math.ceil(own.height / depth.scale) };
  const [plate, ground, depthData, eyeMask, lids, mouths, flow, arms] = await Promise.all([
    readPlate(look),
    own.ground === undefined ? undefined : readGround(join(home, own.ground), own),
    readGrey(join(home, depth.file), depthSize),
    readGrey(join(home, eye.mask), boxSize(eye.box)),
    Promise.all(eye.stages.map((stage) => readInset(join(home, stage.file), manifest.eye.box))),
    Promise.all(mouth.patches.map((patch) => readInset(join(home, patch.file), manifest.mouth.box))),
    readFlow(join(home, mouth.flow.file), mouth),
    body && readArms(home, body),
  ]);
  checkBasis(own, file);
  const poseUnit = own.height / POSE_HEIGHT;
  const ownDepth = blurDepth({ ...depthSize, data: depthData }, (DEPTH_BLUR * poseUnit) / depth.scale);
  const pack: LoadedPack = {
    name: variant === undefined ? own.name : `${own.name}.${variant.name}`,
    width: manifest.width,
    height: manifest.height,
    manifest,
    ...(own.motion === undefined ? {} : { motion: own.motion }),
    plate: rgbaToYuva(plate),
    ...(ground === undefined ? {} : { ground }),
    depth: body ? depthWithBody(own, body, ownDepth) : ownDepth,
    eyeMask,
    lids,
    mouths,
    flow,
    poseUnit,
    ...(arms && { arms }),
  };
  return pack;
}

/** Files and manifest of what a folder shows. */
interface Look {
  readonly home: string;
  readonly variant: (Variant & { readonly name: string }) | undefined;
  readonly file: string;
  /** File of the plate. */
  readonly base: string;
  /** As in the file, and as it is shown. */
  readonly own: Manifest;
  readonly manifest: Manifest;
  /** Present when the picture reaches down to the waist. */
  readonly body: BodyFile | undefined;
}

async function readLook(dir: string): Promise<Look> {
  const { folder, framing: asked } = framingOf(dir);
  const { home, variant } = await findPack(folder);
  const file = join(home, 'manifest.json');
  const own = await readManifest(file);
  const framing = asked === 'auto' ? variant?.framing : asked;
  // A body has the clothes of its pack's plate.
  const hasOwnClothes = variant?.base !== undefined || own.ground !== undefined;
  const body = framing === 'waist' && !hasOwnClothes ? await readBody(home) : undefined;
  const frame = framing === 'head' ? headFrame(own) : asked === 'auto' && !body ? variant?.frame : undefined;
  const shown = frame === undefined ? own : { ...own, frame };
  const base = variant?.base === undefined ? join(home, own.base) : join(folder, variant.base);
  return { home, variant, file, base, own, manifest: body ? manifestWithBody(own, body) : shown, body };
}

/** The folder with the manifest, and the variant if `dir` is one. */
async function findPack(dir: string): Promise<{ home: string; variant: (Variant & { name: string }) | undefined }> {
  if (!isVariantFolder(dir)) return { home: dir, variant: undefined };
  return { home: packOfVariant(dir), variant: { ...(await readVariant(dir)), name: basename(dir) } };
}

/**
 * Names of the packs in a folder, sorted: its sub-folders that hold a `manifest.json`.
 * @throws the file system's error if the folder cannot be read.
 */
export async function listPacks(dir: string): Promise<string[]> {
  const entries = await readdir(dir, { withFileTypes: true });
  const names = await Promise.all(
    entries
      .filter((entry) => entry.isDirectory())
      .map(async ({ name }) => {
        const files = await readdir(join(dir, name));
        return files.includes('manifest.json') ? [name] : [];
      }),
  );
  return names.flat().sort();
}

/**
 * The resting plate of a pack with its transparency; editors show it as a placeholder.
 * @param dir as for {@link loadPack}
 * @param crop as of a {@link PresenterPlacement}.
 * @returns WebP
 * @throws PackError as {@link loadPack} does.
 */
export async function packPlate(dir: string, crop: 'full' | 'bust' = 'full'): Promise<Buffer> {
  const sharp = await loadSharp();
  const look = await readLook(dir);
  const { own, manifest, home } = look;
  const isWhole = crop === 'full' && manifest.frame === undefined && own.ground === undefined;
  if (isWhole) return readBytes(look.base);
  const { data, ...raw } = await readPlate(look);
  let plate = sharp(data, { raw: { ...raw, channels: 4 } });
  if (own.ground !== undefined) {
    const input = await plate.png({ compressionLevel: 1 }).toBuffer();
    // sharp crops before it composites, so this needs two steps.
    const whole = sharp(await readBytes(join(home, own.ground))).composite([{ input }]);
    plate = sharp(await whole.png({ compressionLevel: 1 }).toBuffer());
  }
  const { x, y, width, height } = shownPart(manifest, crop);
  const [x0, y0, x1, y1] = [x, y, x + width, y + height].map(Math.round) as [number, number, number, number];
  const [left, top] = [Math.max(0, x0), Math.max(0, y0)];
  const shown = { left, top, width: Math.min(raw.width, x1) - left, height: Math.min(raw.height, y1) - top };
  if (shown.width < 1 || shown.height < 1) throw new PackError(`${dir}: expected a frame that meets the plate`);
  const clear = { r: 0, g: 0, b: 0, alpha: 0 };
  const around = { left: left - x0, top: top - y0, right: x1 - left - shown.width, bottom: y1 - top - shown.height };
  return plate
    .extract(shown)
    .extend({ ...around, background: clear })
    .webp({ quality: 90 })
    .toBuffer();
}

/** @throws TypeError if the pack does not come from {@link loadPack}. */
export function asLoaded(pack: PresenterPack): LoadedPack {
  if (!isLoaded(pack)) throw new TypeError(`presenter pack ${pack.name}: expected a pack from loadPack`);
  return pack;
}

function isLoaded(pack: PresenterPack): pack is LoadedPack {
  return 'manifest' in pack && 'plate' in pack && 'mouths' in pack;
}

interface Size {
  readonly width: number;
  readonly height: number;
}

/** The grid must be complete, and the resting mouth must be in it: every pose falls back to it. */
function checkBasis({ mouth }: Manifest, file: string): void {
  const ids = new Set(mouth.patches.map((patch) => patch.id));
  for (let i = 0; i < mouth.opens.length; i++) {
    for (let j = 0; j < mouth.widths.length; j++) {
      if (!ids.has(`g${i}${j}`)) throw new PackError(`${file}: mouth.patches: expected a patch g${i}${j}, found none`);
    }
  }
}

async function readPixels(file: string, size: Size, channels: 1 | 3 | 4): Promise<Uint8Array> {
  const bytes = await readBytes(file);
  try {
    const sharp = await loadSharp();
    const picture = sharp(bytes, { limitInputPixels: size.width * size.height });
    const coloured = channels === 1 ? picture.toColourspace('b-w') : picture.toColourspace('srgb');
    const { data, info } = await coloured.raw().toBuffer({ resolveWithObject: true });
    const found = `${info.width}×${info.height} px with ${info.channels} channels`;
    if (info.width !== size.width || info.height !== size.height || info.channels !== channels) {
      throw new PackError(
        `${file}: expected ${size.width}×${size.height} px with ${channels} channels, found ${found}`,
      );
    }
    return data;
  } catch (error) {
    if (error instanceof PackError) throw error;
    const expected = `a picture of ${size.width}×${size.height} px`;
    throw new PackError(`${file}: expected ${expected}, found ${describe(error)}`, { cause: error });
  }
}

/** The picture of a person at rest, down to the waist if `body` is given. */
async function readPlate({ base, own, body, home }: Look): Promise<RgbaImage> {
  const { width, height } = own;
  const plate = { width, height, data: opaque(await readPixels(base, { width, height }, 4)) };
  if (body === undefined) return plate;
  const { side, top, step } = body;
  const small = { width: side / step, height: (side - top) / step };
  const pixels = await readPixels(join(home, body.base), small, 4);
  const sharp = await loadSharp();
  const large = sharp(pixels, { raw: { ...small, channels: 4 } }).resize(side, side - top, { kernel: 'cubic' });
  return composeBody(own, body, plate, { width: side, height: side - top, data: opaque(await large.raw().toBuffer()) });
}

function opaque(data: Uint8Array): Uint8Array {
  for (let i = 3; i < data.length; i += 4) if (data[i]! >= OPAQUE) data[i] = 255;
  return data;
}

/** Rows of a strip's picture that the one above it may have tinted. */
const STRIP_SEAM = 3;

/** The pictures of the arms. The first key of each is the rest, cut out of the body's picture. */
async function readArms(home: string, body: BodyFile): Promise<LoadedArms> {
  const { base, side, top, step, keys, motions } = body;
  const size = { width: side / step, height: (side - top) / step };
  const rest = opaque(await readPixels(join(home, base), size, 4));
  const read = async (motion: ArmMotion, arm: Arm): Promise<ArmPictures> => {
    const { file, box } = motions[motion][arm];
    const [x0, y0, x1, y1] = box.map((value) => value / step) as [number, number, number, number];
    const [width, height] = [x1 - x0, y1 - y0];
    const strip = opaque(await readPixels(join(home, file), { width, height: height * keys }, 4));
    const bytes = width * height * 4;
    const first = new Uint8Array(bytes);
    for (let y = 0; y < height; y++) {
      const from = ((y + y0 - top / step) * size.width + x0) * 4;
      first.set(rest.subarray(from, from + width * 4), y * width * 4);
    }
    // Pictures of a strip bleed into each other at their first rows, which show the rest.
    for (let k = 0; k < keys; k++) strip.set(first.subarray(0, STRIP_SEAM * width * 4), k * bytes);
    const pictures = [first, ...Array.from({ length: keys }, (_, k) => strip.subarray(k * bytes, (k + 1) * bytes))];
    return { box, keys: pictures.map((data) => rgbaToYuva({ width, height, data })) };
  };
  const all = ARM_MOTIONS.map(async (motion) => {
    const arms = await Promise.all(ARMS.map(async (arm) => [arm, await read(motion, arm)] as const));
    return [motion, Object.fromEntries(arms)] as const;
  });
  return { step, motions: Object.fromEntries(await Promise.all(all)) as LoadedArms['motions'] };
}

async function readGround(file: string, size: Size): Promise<YuvFrame> {
  return rgbToYuv({ ...size, channels: 3, data: await readPixels(file, size, 3) });
}

async function readGrey(file: string, size: Size): Promise<Uint8Array> {
  const data = await readPixels(file, size, 1);
  const shared = new Uint8Array(new SharedArrayBuffer(data.length));
  shared.set(data);
  return shared;
}

async function readInset(file: string, box: PlateBox): Promise<Inset> {
  const size = boxSize(box);
  const data = await readPixels(file, size, 3);
  const x = box[0] & ~1;
  const y = box[1] & ~1;
  const width = (box[2] - x + 1) & ~1;
  const height = (box[3] - y + 1) & ~1;
  if (width === size.width && height === size.height)
    return { x, y, planes: rgbToYuv({ data, channels: 3, width, height }) };
  const padded = new Uint8Array(width * height * 3);
  for (let row = 0; row < height; row++) {
    const from = Math.min(Math.max(row - (box[1] - y), 0), size.height - 1) * size.width * 3;
    const to = row * width * 3;
    const inset = (box[0] - x) * 3;
    padded.set(data.subarray(from, from + size.width * 3), to + inset);
    padded.copyWithin(to, to + inset, to + inset + 3);
    const end = inset + size.width * 3;
    if (end < width * 3) padded.copyWithin(to + end, to + end - 3, to + end);
  }
  return { x, y, planes: rgbToYuv({ data: padded, channels: 3, width, height }) };
}

async function readFlow(file: string, mouth: Manifest['mouth']): Promise<Float32Array> {
  const bytes = await readBytes(file);
  const { gw, gh, scale } = mouth.flow;
  const count = mouth.patches.length * gw * gh * 2;
  if (bytes.length !== count * 2) throw new PackError(`${file}: expected ${count * 2} bytes, found ${bytes.length}`);
  const flow = new Float32Array(new SharedArrayBuffer(count * 4));
  const limit = mouth.box[3] - mouth.box[1];
  for (let i = 0; i < count; i++) {
    const value = bytes.readInt16LE(i * 2) / scale;
    if (Math.abs(value) > limit)
      throw new PackError(`${file}: expected motion within ±${limit} px, found ${value} at entry ${i}`);
    flow[i] = value;
  }
  return flow;
}
