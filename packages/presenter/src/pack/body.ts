import { PackError } from '../contract.js';
import { ARM_MOTIONS, ARMS, type Arm, type ArmMotion } from '../face/contract.js';
import { smoothstep } from '../face/easing.js';
import { allocate, type RgbaImage } from '../frame.js';
import type { DepthMap } from './depth.js';
import type { PackFiles } from './files.js';
import { type Manifest, type ManifestValue, type PlateBox, readManifestFile } from './manifest.js';

const FILE = 'body.json';

/** Largest side of a body in px. */
const MOST_SIDE = 8192;

/** The pictures of one arm in one motion: one below the other, the first after the rest on top. */
interface ArmStrip {
  readonly file: string;
  /** Px of the body's picture. */
  readonly box: PlateBox;
}

/** The file `body.json` of a pack after validation (presenters/FORMAT.md 5). */
export interface BodyFile {
  readonly base: string;
  /** Side of the square picture, plate px. */
  readonly side: number;
  /** Plate px per px of the files. */
  readonly step: number;
  /** First row of `base` in the picture, plate px. */
  readonly top: number;
  /** Pictures of a motion after the rest. */
  readonly keys: number;
  readonly motions: Readonly<Record<ArmMotion, Readonly<Record<Arm, ArmStrip>>>>;
}

/** Reads a pack's body. Returns `undefined` for a pack without one. @throws PackError */
export async function readBody(files: PackFiles): Promise<BodyFile | undefined> {
  if (!(await files.has(FILE))) return undefined;
  const file = files.pathOf(FILE);
  const root = await readManifestFile(files, FILE);
  const step = root.at('step').integer({ min: 1, max: 4 });
  const side = root.at('side').integer({ min: 16, max: MOST_SIDE });
  if (side % (8 * step) !== 0) throw new PackError(`${file}: side: expected a multiple of ${8 * step}, found ${side}`);
  const top = root.at('top').integer({ min: 0, max: side - 16 });
  const motions = Object.fromEntries(
    ARM_MOTIONS.map((motion) => {
      const arms = ARMS.map((arm) => [arm, readStrip(root.at('motions').at(motion).at(arm), side)]);
      return [motion, Object.fromEntries(arms)];
    }),
  ) as BodyFile['motions'];
  const keys = root.at('keys').integer({ min: 1, max: 60 });
  return { base: root.at('base').fileName(), side, step, top, keys, motions };
}

function readStrip(strip: ManifestValue, side: number): ArmStrip {
  const sides = strip.at('box').list(4);
  const [x0, y0] = [sides[0]!.integer({ min: 0, max: side - 8 }), sides[1]!.integer({ min: 0, max: side - 8 })];
  const [x1, y1] = [sides[2]!.integer({ min: x0 + 8, max: side }), sides[3]!.integer({ min: y0 + 8, max: side })];
  if ([x0, y0, x1, y1].some((value) => value % 8 !== 0)) {
    throw new PackError(`${strip.name('box')}: expected multiples of 8, found ${[x0, y0, x1, y1].join(', ')}`);
  }
  return { file: strip.at('file').fileName(), box: [x0, y0, x1, y1] };
}

/** The manifest of the picture that shows the body: the plate is in the middle of its top. */
export function manifestWithBody(manifest: Manifest, { side }: BodyFile): Manifest {
  const left = plateLeft(manifest, side);
  const moved = ([x0, y0, x1, y1]: PlateBox): PlateBox => [x0 + left, y0, x1 + left, y1];
  const { head, eye, mouth, ground: _none, ...rest } = manifest;
  return {
    ...rest,
    width: side,
    height: side,
    // Also where others show a bust: cut off at the chest, hands would only come up now and then.
    frame: [0, 0, side, side],
    head: { ...head, pivotX: head.pivotX + left },
    eye: { ...eye, box: moved(eye.box) },
    mouth: { ...mouth, box: moved(mouth.box) },
  };
}

/** Columns of the body's picture left of the plate: whole cells of the depth map. */
function plateLeft({ width, depth }: Manifest, side: number): number {
  return Math.max(0, Math.floor((side - width) / 2 / (2 * depth.scale)) * 2 * depth.scale);
}

/**
 * The person down to the waist: the plate's head on the body's picture. Below the chin the plate fades into the body, which has the same
 * shoulders.
 * @param below the body's picture, enlarged to plate px, from row `top` on
 */
export function composeBody(manifest: Manifest, body: BodyFile, plate: RgbaImage, below: RgbaImage): RgbaImage {
  const { side, top } = body;
  const left = plateLeft(manifest, side);
  const { chinY, neckY } = manifest.head;
  const data = new Uint8Array(side * side * 4);
  data.set(below.data, top * side * 4);
  for (let y = 0; y < plate.height; y++) {
    const share = y < top ? 1 : 1 - smoothstep(chinY, neckY, y);
    if (share === 0) break;
    const from = y * plate.width * 4;
    const to = (y * side + left) * 4;
    if (share === 1) data.set(plate.data.subarray(from, from + plate.width * 4), to);
    else blendRow(data.subarray(to, to + plate.width * 4), plate.data.subarray(from, from + plate.width * 4), share);
  }
  return { width: side, height: side, data };
}

/** Mixes straight RGBA into a row, `share` of it. */
function blendRow(row: Uint8Array, over: RgbaImage['data'], share: number): void {
  for (let i = 0; i < row.length; i += 4) {
    const [under, above] = [row[i + 3]! * (1 - share), over[i + 3]! * share];
    const alpha = under + above;
    if (alpha === 0) continue;
    for (let k = i; k < i + 3; k++) row[k] = Math.round((row[k]! * under + over[k]! * above) / alpha);
    row[i + 3] = Math.round(alpha);
  }
}

/** The depth map of the body's picture: outside of the plate it repeats the plate's edge, where nothing turns. */
export function depthWithBody(manifest: Manifest, { side }: BodyFile, depth: DepthMap): DepthMap {
  const { scale } = manifest.depth;
  const left = plateLeft(manifest, side) / scale;
  const [width, height] = [Math.ceil(side / scale), Math.ceil(side / scale)];
  const data = new Uint8Array(allocate(width * height));
  const inside = (value: number, length: number): number => Math.min(Math.max(value, 0), length - 1);
  for (let y = 0; y < height; y++) {
    const from = inside(y, depth.height) * depth.width;
    for (let x = 0; x < width; x++) data[y * width + x] = depth.data[from + inside(x - left, depth.width)]!;
  }
  return { width, height, data };
}
