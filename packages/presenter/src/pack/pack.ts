import { rgbaToYuva, rgbToYuv } from '../colour.js';
import { PackError, type PresenterPack } from '../contract.js';
import { ARM_MOTIONS, ARMS, type Arm, type ArmMotion } from '../face/contract.js';
import { allocate, type RgbaImage, type YuvaFrame, type YuvFrame } from '../frame.js';
import { ALPHA } from './archive.js';
import { type BodyFile, composeBody, depthWithBody, manifestWithBody, readBody } from './body.js';
import { blurDepth, DEPTH_BLUR, type DepthMap } from './depth.js';
import { enlarged } from './enlarge.js';
import type { DecodedPicture, PackFiles, PackLook, PictureDecoder } from './files.js';
import { headFrame } from './framing.js';
import { boxSize, describe, MANIFEST, type Manifest, OPAQUE, type PlateBox, readManifest } from './manifest.js';
import { readVariant, VARIANTS, type Variant } from './variant.js';

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

/**
 * Decodes a presenter pack and validates all its files (presenters/FORMAT.md).
 * @returns the pack in shared memory where there is such: send it to other threads instead of decoding it again. Nothing has to be closed.
 * @throws PackError naming the file, what was expected of it and what was found.
 */
export async function decodePack(files: PackFiles, look: PackLook, decoder: PictureDecoder): Promise<PresenterPack> {
  const shown = await readLook(files, look);
  const { variant, own, body, manifest } = shown;
  const { eye, mouth, depth } = own;
  const pictures: Pictures = { files, decoder };
  const depthSize = { width: Math.ceil(own.width / depth.scale), height: Math.ceil(own.height / depth.scale) };
  const [plate, ground, depthData, eyeMask, lids, mouths, flow, arms] = await Promise.all([
    readPlate(shown, decoder),
    own.ground === undefined ? undefined : readGround(pictures, own.ground, own),
    readGrey(pictures, depth.file, depthSize),
    readGrey(pictures, eye.mask, boxSize(eye.box)),
    Promise.all(eye.stages.map((stage) => readInset(pictures, stage.file, manifest.eye.box))),
    Promise.all(mouth.patches.map((patch) => readInset(pictures, patch.file, manifest.mouth.box))),
    readFlow(files, mouth),
    body && readArms(pictures, body),
  ]);
  checkBasis(own, files.pathOf(MANIFEST));
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

/** The files and the manifest of what is shown of a pack. */
export interface ShownPack {
  readonly files: PackFiles;
  readonly variant: (Variant & { readonly name: string }) | undefined;
  /** File of the plate. */
  readonly base: string;
  /** As in the file, and as it is shown. */
  readonly own: Manifest;
  readonly manifest: Manifest;
  /** Present when the picture reaches down to the waist. */
  readonly body: BodyFile | undefined;
}

/** @throws PackError as {@link decodePack} does. */
export async function readLook(files: PackFiles, { variant: name, framing: asked }: PackLook): Promise<ShownPack> {
  const variant = name === undefined ? undefined : { ...(await readVariant(files, name)), name };
  const own = await readManifest(files);
  const framing = asked === 'auto' ? variant?.framing : asked;
  // A body has the clothes of its pack's plate.
  const hasOwnClothes = variant?.base !== undefined || own.ground !== undefined;
  const body = framing === 'waist' && !hasOwnClothes ? await readBody(files) : undefined;
  const frame = framing === 'head' ? headFrame(own) : asked === 'auto' && !body ? variant?.frame : undefined;
  const shown = frame === undefined ? own : { ...own, frame };
  const base = variant?.base === undefined ? own.base : `${VARIANTS}/${variant.name}/${variant.base}`;
  return { files, variant, base, own, manifest: body ? manifestWithBody(own, body) : shown, body };
}

/** @throws TypeError if the pack does not come from {@link decodePack}. */
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

interface Pictures {
  readonly files: PackFiles;
  readonly decoder: PictureDecoder;
}

async function readPixels(pictures: Pictures, name: string, size: Size, channels: 1 | 3 | 4): Promise<Uint8Array> {
  const isApart = channels === 4 && (await pictures.files.has(name + ALPHA));
  const scale = pictures.files.shrinkOf(name);
  const small = { width: Math.ceil(size.width / scale), height: Math.ceil(size.height / scale) };
  const found = isApart ? await readApart(pictures, name, small) : await readPicture(pictures, name, small, channels);
  return scale === 1 ? found.data : enlarged(await pictures.decoder.kernel(), found, { ...size, scale }).data;
}

/** A picture and its opacity, from two files. */
async function readApart(pictures: Pictures, name: string, size: Size): Promise<DecodedPicture> {
  const [colour, alpha] = await Promise.all([
    readPicture(pictures, name, size, 3),
    readPicture(pictures, name + ALPHA, size, 1),
  ]);
  const data = new Uint8Array(alpha.data.length * 4);
  for (let i = 0; i < alpha.data.length; i++) {
    for (let k = 0; k < 3; k++) data[i * 4 + k] = colour.data[i * 3 + k]!;
    data[i * 4 + 3] = alpha.data[i]!;
  }
  return { ...colour, channels: 4, data };
}

/** Throws PackError for a picture of another size. */
async function readPicture(
  { files, decoder }: Pictures,
  name: string,
  size: Size,
  channels: 1 | 3 | 4,
): Promise<DecodedPicture> {
  const bytes = await files.read(name);
  const path = files.pathOf(name);
  const found = await decoder.decode(bytes, size, channels).catch((cause: unknown) => {
    const wanted = `a picture of ${size.width}×${size.height} px`;
    throw new PackError(`${path}: expected ${wanted}, found ${describe(cause)}`, { cause });
  });
  if (found.width !== size.width || found.height !== size.height || found.channels !== channels) {
    throw new PackError(
      `${path}: expected ${size.width}×${size.height} px with ${channels} channels, found ${found.width}×${found.height} px with ${found.channels} channels`,
    );
  }
  return found;
}

/** The picture of a person at rest, down to the waist where the look shows it. */
export async function readPlate({ files, base, own, body }: ShownPack, decoder: PictureDecoder): Promise<RgbaImage> {
  const pictures: Pictures = { files, decoder };
  const { width, height } = own;
  const plate = { width, height, data: opaque(await readPixels(pictures, base, { width, height }, 4)) };
  if (body === undefined) return plate;
  const { side, top, step } = body;
  const small = { width: side / step, height: (side - top) / step };
  const large = { width: side, height: side - top };
  const below = { ...small, channels: 4, data: await readPixels(pictures, body.base, small, 4) };
  const { data } = step === 1 ? below : enlarged(await decoder.kernel(), below, { ...large, scale: step });
  return composeBody(own, body, plate, { ...large, data: opaque(data) });
}

function opaque(data: Uint8Array): Uint8Array {
  for (let i = 3; i < data.length; i += 4) if (data[i]! >= OPAQUE) data[i] = 255;
  return data;
}

/** Rows of a strip's picture that the one above it may have tinted. */
const STRIP_SEAM = 3;

/** The pictures of the arms. The first key of each is the rest, cut out of the body's picture. */
async function readArms(pictures: Pictures, body: BodyFile): Promise<LoadedArms> {
  const { base, side, top, step, keys, motions } = body;
  const size = { width: side / step, height: (side - top) / step };
  const rest = opaque(await readPixels(pictures, base, size, 4));
  const read = async (motion: ArmMotion, arm: Arm): Promise<ArmPictures> => {
    const { file, box } = motions[motion][arm];
    const [x0, y0, x1, y1] = box.map((value) => value / step) as [number, number, number, number];
    const [width, height] = [x1 - x0, y1 - y0];
    const strip = opaque(await readPixels(pictures, file, { width, height: height * keys }, 4));
    const bytes = width * height * 4;
    const first = new Uint8Array(bytes);
    for (let y = 0; y < height; y++) {
      const from = ((y + y0 - top / step) * size.width + x0) * 4;
      first.set(rest.subarray(from, from + width * 4), y * width * 4);
    }
    // Pictures of a strip bleed into each other at their first rows, which show the rest.
    for (let k = 0; k < keys; k++) strip.set(first.subarray(0, STRIP_SEAM * width * 4), k * bytes);
    const all = [first, ...Array.from({ length: keys }, (_, k) => strip.subarray(k * bytes, (k + 1) * bytes))];
    return { box, keys: all.map((data) => rgbaToYuva({ width, height, data })) };
  };
  const all = ARM_MOTIONS.map(async (motion) => {
    const arms = await Promise.all(ARMS.map(async (arm) => [arm, await read(motion, arm)] as const));
    return [motion, Object.fromEntries(arms)] as const;
  });
  return { step, motions: Object.fromEntries(await Promise.all(all)) as LoadedArms['motions'] };
}

async function readGround(pictures: Pictures, name: string, size: Size): Promise<YuvFrame> {
  return rgbToYuv({ ...size, channels: 3, data: await readPixels(pictures, name, size, 3) });
}

async function readGrey(pictures: Pictures, name: string, size: Size): Promise<Uint8Array> {
  const data = await readPixels(pictures, name, size, 1);
  const shared = new Uint8Array(allocate(data.length));
  shared.set(data);
  return shared;
}

async function readInset(pictures: Pictures, name: string, box: PlateBox): Promise<Inset> {
  const size = boxSize(box);
  const data = await readPixels(pictures, name, size, 3);
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

async function readFlow(files: PackFiles, mouth: Manifest['mouth']): Promise<Float32Array> {
  const bytes = await files.read(mouth.flow.file);
  const file = files.pathOf(mouth.flow.file);
  const { gw, gh, scale } = mouth.flow;
  const count = mouth.patches.length * gw * gh * 2;
  if (bytes.length !== count * 2) throw new PackError(`${file}: expected ${count * 2} bytes, found ${bytes.length}`);
  const values = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const flow = new Float32Array(allocate(count * 4));
  const limit = mouth.box[3] - mouth.box[1];
  for (let i = 0; i < count; i++) {
    const value = values.getInt16(i * 2, true) / scale;
    if (Math.abs(value) > limit)
      throw new PackError(`${file}: expected motion within ±${limit} px, found ${value} at entry ${i}`);
    flow[i] = value;
  }
  return flow;
}
