import { readFile, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import type { Compositor } from '@figurehead/presenter';
import { asLoaded, type LoadedPack } from '@figurehead/presenter';
import type { Pose } from '@figurehead/presenter/face';
import type { YuvFrame } from '@figurehead/presenter/frame';
import sharp from 'sharp';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { REST_POSE as REST } from '../../../../tests/support/poses.js';
import { mouthWeights } from '../../../presenter/src/pack/weights.js';
import { createCompositor, listPacks, loadPack } from './index.js';

const PACKS = fileURLToPath(new URL('../../../../presenters/packs/', import.meta.url));
const GOLDEN = fileURLToPath(new URL('./golden/', import.meta.url));

const SPEAKING: Pose = {
  mouth: { open: 0.7, width: -0.4, consonants: { SS: 0.25 }, smile: 0.1 },
  lids: 0.45,
  gaze: { x: -3, y: 2 },
  head: { yaw: 0.06, pitch: -0.02, roll: 0.03, x: 4, y: -2 },
  breath: 2.5,
  sway: -2,
  brow: 0.5,
};

describe('composition', () => {
  let compositor: Compositor;
  beforeAll(async () => {
    compositor = await createCompositor();
  });
  afterAll(() => compositor.close());

  it.each([
    ['nora', SPEAKING],
    [
      'walter',
      { ...SPEAKING, lids: 0.85, mouth: { ...REST.mouth, consonants: { PP: 1 } }, head: { ...REST.head, yaw: -0.1 } },
    ],
  ])('draws %s like the formulas of the format', async (name, pose) => {
    const pack = asLoaded(await loadPack(PACKS + name));
    const { width, height } = pack;
    const frame = compositor.createFrame(width, height);
    frame.y.fill(150);
    const rows = { from: 340, to: 860 };
    const expected = composeReference(pack, pose, frame, rows);
    const placed = compositor.place(pack, { x: 0, y: 0, width, height, crop: 'full' }, frame);
    placed.draw(pose, frame);
    placed.close();
    const drawn = frame.y.subarray(rows.from * width, rows.to * width);
    const figure = psnr(drawn, expected);
    const unmoved = compositor.place(pack, { x: 0, y: 0, width, height, crop: 'full' }, frame);
    frame.y.fill(150);
    unmoved.draw(REST, frame);
    unmoved.close();
    expect(figure).toBeGreaterThan(44);
    // The resting picture must differ clearly from the posed one, or the comparison proves nothing.
    expect(psnr(drawn, expected)).toBeLessThan(30);
  });

  it('shows the plate itself, bit for bit, outside of eyes and mouth of a resting face', async () => {
    const pack = asLoaded(await loadPack(`${PACKS}mei`));
    const { width, height } = pack;
    const frame = compositor.createFrame(width, height);
    const placed = compositor.place(pack, { x: 0, y: 0, width, height, crop: 'full' }, frame);
    placed.draw(REST, frame);
    placed.close();
    const row = 250 * width;
    const opaque = [...pack.plate.a.subarray(row, row + width)].flatMap((a, x) => (a === 255 ? [x] : []));
    expect(opaque.length).toBeGreaterThan(300);
    expect(opaque.map((x) => frame.y[row + x])).toEqual(opaque.map((x) => pack.plate.y[row + x]));
  });

  it('draws every presenter like its reviewed golden frame', async () => {
    const names = await listPacks(PACKS);
    expect(names.length).toBe(28);
    for (const name of names) {
      const pack = await loadPack(PACKS + name);
      const frame = compositor.createFrame(128, 96);
      const placed = compositor.place(pack, { x: 0, y: 0, width: 128, height: 96, crop: 'full' }, frame);
      placed.draw(SPEAKING, frame);
      placed.close();
      const file = `${GOLDEN}${name}.png`;
      // FIGUREHEAD_GOLDEN=write creates new frames: look at them before you commit them.
      if (process.env.FIGUREHEAD_GOLDEN === 'write') await writeFile(file, await toGrey(frame));
      const golden = await sharp(await readFile(file))
        .toColourspace('b-w')
        .raw()
        .toBuffer();
      expect(psnr(planesOf(frame), golden), name).toBeGreaterThan(48);
    }
  });
});

/** All planes in one picture: luma above, then U and V side by side. */
function planesOf({ width, height, y, u, v }: YuvFrame): Uint8Array {
  const grey = new Uint8Array(width * height * 1.5);
  grey.set(y);
  for (let row = 0; row < height / 2; row++) {
    const at = width * (height + row);
    grey.set(u.subarray((row * width) / 2, ((row + 1) * width) / 2), at);
    grey.set(v.subarray((row * width) / 2, ((row + 1) * width) / 2), at + width / 2);
  }
  return grey;
}

function toGrey(frame: YuvFrame): Promise<Buffer> {
  const raw = { width: frame.width, height: frame.height * 1.5, channels: 1 } as const;
  return sharp(planesOf(frame), { raw }).toColourspace('b-w').png({ compressionLevel: 9 }).toBuffer();
}

/**
 * The composition of presenters/FORMAT.md as a plain reference: floating point, pixel by pixel, each position searched
 * separately. Luma only, at the plate's own size. Tests compare the kernel with it.
 */
function composeReference(
  pack: LoadedPack,
  pose: Pose,
  background: YuvFrame,
  rows: { from: number; to: number },
): Float64Array {
  const { width, height } = pack;
  const face = facePlate(pack, pose);
  const premultiplied = { width, height, at: (i: number): number => (face[i]! * pack.plate.a[i]!) / 255 };
  const alpha = { width, height, at: (i: number): number => pack.plate.a[i]! };
  const out = new Float64Array(width * (rows.to - rows.from));
  for (let y = rows.from; y < rows.to; y++) {
    for (let x = 0; x < width; x++) {
      let sourceX = x;
      let sourceY = y;
      for (let step = 0; step < 8; step++) {
        const [dx, dy] = displacement(pack, pose, sourceX, sourceY);
        sourceX = x - dx;
        sourceY = y - dy;
      }
      const cover = bilinear(alpha, sourceX, sourceY);
      const behind = background.y[y * background.yStride + x]! * (1 - cover / 255);
      out[(y - rows.from) * width + x] = bilinear(premultiplied, sourceX, sourceY) + behind;
    }
  }
  return out;
}

/** Peak signal-to-noise ratio of 8-bit values in dB. */
function psnr(a: ArrayLike<number>, b: ArrayLike<number>): number {
  let sum = 0;
  for (let i = 0; i < a.length; i++) sum += (a[i]! - b[i]!) ** 2;
  return 10 * Math.log10((255 * 255 * a.length) / Math.max(sum, 1e-9));
}

interface Picture {
  readonly width: number;
  readonly height: number;
  readonly at: (index: number) => number;
}

function bilinear(picture: Picture, x: number, y: number): number {
  const cx = Math.min(Math.max(x, 0), picture.width - 1.001);
  const cy = Math.min(Math.max(y, 0), picture.height - 1.001);
  const i = Math.floor(cy) * picture.width + Math.floor(cx);
  const fx = cx - Math.floor(cx);
  const fy = cy - Math.floor(cy);
  const top = picture.at(i) * (1 - fx) + picture.at(i + 1) * fx;
  const bottom = picture.at(i + picture.width) * (1 - fx) + picture.at(i + picture.width + 1) * fx;
  return top * (1 - fy) + bottom * fy;
}

function sstep(a: number, b: number, x: number): number {
  const t = Math.min(Math.max((x - a) / (b - a), 0), 1);
  return t * t * (3 - 2 * t);
}

/** Section 3.3. */
function displacement(pack: LoadedPack, pose: Pose, X: number, Y: number): [dx: number, dy: number] {
  const { head, eye, depth } = pack.manifest;
  const map = { width: pack.depth.width, height: pack.depth.height, at: (i: number): number => pack.depth.data[i]! };
  const Z = depth.min + ((depth.max - depth.min) * bilinear(map, X / depth.scale, Y / depth.scale)) / 255;
  const W = 1 - sstep(head.chinY, head.neckY + 0.25 * (head.neckY - head.chinY), Y);
  const p = (head.camDist - Z) / head.camDist;
  const x = (X - head.pivotX) * p;
  const y = (head.pivotY - Y) * p;
  const { yaw, pitch, roll } = pose.head;
  const x1 = Math.cos(roll) * x - Math.sin(roll) * y;
  const y1 = Math.sin(roll) * x + Math.cos(roll) * y;
  const y2 = Math.cos(pitch) * y1 - Math.sin(pitch) * Z;
  const z2 = Math.sin(pitch) * y1 + Math.cos(pitch) * Z;
  const x3 = Math.cos(yaw) * x1 + Math.sin(yaw) * z2;
  const z3 = -Math.sin(yaw) * x1 + Math.cos(yaw) * z2;
  const k = head.camDist / (head.camDist - z3);
  const g = 1 - sstep(head.neckY, 1.15 * pack.height, Y);
  const u = 1 - sstep(head.neckY, 1.1 * pack.height, Y);
  const er = (eye.eyes[0].r + eye.eyes[1].r) / 2;
  const by = eye.box[1] + (eye.eyes[0].y + eye.eyes[1].y) / 2 - 2.6 * er;
  const near = Math.max(...eye.eyes.map((e) => Math.exp(-((X - eye.box[0] - e.x) ** 2) / (2 * (3.2 * er) ** 2))));
  const lift = pose.brow * 0.55 * er * Math.exp(-((Y - by) ** 2) / (2 * (1.5 * er) ** 2)) * near;
  const dx = W * (head.pivotX + x3 * k - X + pose.head.x) + pose.sway * u;
  const dy = W * (head.pivotY - y2 * k - Y + pose.head.y) - pose.breath * ((1 - W) * g + W) - lift;
  return [dx, dy];
}

function facePlate(pack: LoadedPack, pose: Pose): Float64Array {
  const face = Float64Array.from(pack.plate.y);
  layEyes(pack, pose, face);
  layMouth(pack, pose, face);
  return face;
}

/** Section 3.2. */
function layEyes(pack: LoadedPack, pose: Pose, face: Float64Array): void {
  const { eye } = pack.manifest;
  const [x0, y0, x1, y1] = eye.box;
  const [w, h] = [x1 - x0, y1 - y0];
  const plate = { width: pack.width, height: pack.height, at: (i: number): number => pack.plate.y[i]! };
  const stages = [{ closed: 0 }, ...eye.stages];
  const upper = Math.max(
    1,
    stages.findIndex((stage) => stage.closed >= pose.lids),
  );
  const from = stages[upper - 1]!.closed;
  const t = (pose.lids - from) / (stages[upper]!.closed - from);
  const lidAt = (stage: number, x: number, y: number): number => {
    const inset = pack.lids[stage - 1]!;
    return inset.planes.y[(y - inset.y) * inset.planes.yStride + x - inset.x]!;
  };
  for (let y = 0; y < h; y++) {
    for (let x = 0; x < w; x++) {
      const at = (y0 + y) * pack.width + x0 + x;
      const q = Math.min(...eye.eyes.map((e) => Math.hypot(x - e.x, y - e.y) / e.r));
      const f = 1 - sstep(1.15, 2.5, q);
      const shift = f * eye.pxPerDeg;
      const gazed = bilinear(plate, x0 + x - shift * pose.gaze.x, y0 + y + shift * pose.gaze.y);
      const open = face[at]! + ((gazed - face[at]!) * pack.eyeMask[y * w + x]!) / 255;
      const lower = upper === 1 ? open : lidAt(upper - 1, x0 + x, y0 + y);
      const lid = lower + (lidAt(upper, x0 + x, y0 + y) - lower) * t;
      const m = sstep(0, 0.06, Math.min(x, w - 1 - x) / w) * sstep(0, 0.14, Math.min(y, h - 1 - y) / h);
      face[at] = pose.lids > 0 && pack.plate.a[at]! >= 250 ? open + (lid - open) * m : open;
    }
  }
}

/** Section 3.1. */
function layMouth(pack: LoadedPack, pose: Pose, face: Float64Array): void {
  const { mouth } = pack.manifest;
  const { gw, gh, cell } = mouth.flow;
  const [x0, y0, x1, y1] = mouth.box;
  const [w, h] = [x1 - x0, y1 - y0];
  const weights = mouthWeights(pose.mouth, mouth);
  const field = (patch: number, axis: 0 | 1): Picture => ({
    width: gw,
    height: gh,
    at: (i) => pack.flow[(patch * gw * gh + i) * 2 + axis]!,
  });
  const fields = weights.map((share) => ({ ...share, x: field(share.patch, 0), y: field(share.patch, 1) }));
  const nodes = fields.map(() => ({ x: new Float64Array(gw * gh), y: new Float64Array(gw * gh) }));
  for (let j = 0; j < gh; j++) {
    for (let i = 0; i < gw; i++) {
      let rx = i * cell;
      let ry = j * cell;
      for (let step = 0; step < 7; step++) {
        let dx = 0;
        let dy = 0;
        for (const f of fields) {
          dx += f.weight * bilinear(f.x, rx / cell, ry / cell);
          dy += f.weight * bilinear(f.y, rx / cell, ry / cell);
        }
        rx += 0.8 * (i * cell - dx - rx);
        ry += 0.8 * (j * cell - dy - ry);
      }
      fields.forEach((f, k) => {
        nodes[k]!.x[j * gw + i] = rx + bilinear(f.x, rx / cell, ry / cell);
        nodes[k]!.y[j * gw + i] = ry + bilinear(f.y, rx / cell, ry / cell);
      });
    }
  }
  const grids = nodes.map(({ x, y }) => ({
    x: { width: gw, height: gh, at: (i: number): number => x[i]! },
    y: { width: gw, height: gh, at: (i: number): number => y[i]! },
  }));
  for (let y = 0; y < h; y++) {
    for (let x = 0; x < w; x++) {
      const at = (y0 + y) * pack.width + x0 + x;
      if (pack.plate.a[at]! < 250) continue;
      let colour = 0;
      fields.forEach((f, k) => {
        const { x: px, y: py, planes } = pack.mouths[f.patch]!;
        const picture = { width: planes.width, height: planes.height, at: (i: number): number => planes.y[i]! };
        const sx = bilinear(grids[k]!.x, x / cell, y / cell) + x0 - px;
        const sy = bilinear(grids[k]!.y, x / cell, y / cell) + y0 - py;
        colour += f.colour * bilinear(picture, sx, sy);
      });
      const m = sstep(0, 0.17, Math.min(x, w - 1 - x) / w) * sstep(0, 0.12, y / h) * sstep(0, 0.12, (h - 1 - y) / h);
      face[at] = face[at]! + (colour - face[at]!) * m;
    }
  }
}
