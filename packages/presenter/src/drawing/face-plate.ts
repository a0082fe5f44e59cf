import type { Pose } from '../face/contract.js';
import { smoothstep } from '../face/easing.js';
import { buildMask, featherMask, LID_FEATHER, type Mask, MOUTH_FEATHER } from '../pack/masks.js';
import type { LoadedPack } from '../pack/pack.js';
import { type PackTextures, planesOf, type TextureBox } from '../pack/textures.js';
import { mouthWeights, type PatchWeight, patchIndexes } from '../pack/weights.js';
import { Blocks } from './arena.js';
import { type JobLayout, KernelJob } from './job.js';
import type { DrawingKernel } from './kernel.js';
import { resamplePlane } from './resample.js';

/** Fields of `MouthJob` in assembly/face.ts. */
const MOUTH_JOB = [
  ['i32', 'toY toU toV stride strideHalf width height mask maskHalf maskStride patches patchCount patchStride'],
  ['i32', 'patchBorder gridWidth gridHeight'],
  ['f32', 'cell scale offsetX offsetY'],
  ['i32', 'field nodes'],
] as const satisfies JobLayout;

/** Bytes of `MouthPatch` in assembly/face.ts: four addresses, the colour as 0…32767, the weight as 0…1. */
const PATCH_BYTES = 24;

/** Most patches in a frame. */
const MAX_PATCHES = 5;

/** Largest gaze in degrees that the plate can show (presenters/FORMAT.md 3.2). */
const MAX_GAZE = 8;

/** Within this many iris radii the eyeball moves rigidly, beyond the second it does not move (FORMAT.md 3.2). */
const RIGID_RADII = 1.15;
const STILL_RADII = 2.5;

const ONE = 32767;

/**
 * A patch with a smaller colour share contributes no colour, only motion. This saves a fifth of the sampling; the
 * picture differs by 6 of 255 levels at most, 67 dB at worst (four speaking presenters, 512 px).
 */
const LEAST_COLOUR = 0.02;

/**
 * Keeps the face of a plate in sync with the pose: draws gaze, lids and mouth of a frame into `textures.plate.face`.
 * Repeated poses cost nothing.
 */
export class FacePlate {
  private readonly blocks: Blocks;
  private readonly mouthJob: KernelJob<typeof MOUTH_JOB>;
  private readonly patchSlots: { readonly integers: Int32Array; readonly floats: Float32Array };
  private readonly mouthMask: MaskAt;
  /** Half of it: lays the second shape of a swept mouth over the first. */
  private readonly halfMask: MaskAt;
  private readonly lidMask: MaskAt;
  private readonly eyeVisible: MaskAt;
  private readonly eyeFollow: MaskAt;
  private readonly boxesTouch: boolean;
  private readonly indexOf: ReadonlyMap<string, number>;
  /** What is drawn in the plate: the mouth's patches, and the eyes unless they are in the resting state. */
  private mouth: readonly (readonly PatchWeight[])[] = [];
  private eyes = { lids: Number.NaN, gazeX: 0, gazeY: 0 };

  constructor(
    private readonly kernel: DrawingKernel,
    private readonly pack: LoadedPack,
    private readonly textures: PackTextures,
  ) {
    const { mouths, lids, scale } = textures;
    const { mouth } = pack.manifest;
    this.blocks = new Blocks(kernel.arena);
    this.indexOf = patchIndexes(mouth);
    const columns = Math.ceil(mouths.box.width / 8);
    const rows = Math.ceil(mouths.box.height / 8);
    const maskStride = columns * 8;
    const feather = this.feather('mouth', maskStride);
    this.mouthMask = this.upload(feather);
    this.halfMask = this.upload({ luma: feather.luma.map(half), chroma: feather.chroma.map(half) });
    this.lidMask = this.upload(this.feather('eye', lids.stride));
    this.eyeVisible = this.upload(this.visibility());
    this.eyeFollow = this.upload(this.follow());
    this.boxesTouch = touch(mouths.box, lids.box);
    const patches = this.blocks.allocate(MAX_PATCHES * PATCH_BYTES);
    const slots = (MAX_PATCHES * PATCH_BYTES) / 4;
    this.patchSlots = {
      integers: kernel.arena.ints(patches, slots),
      floats: kernel.arena.floats(patches, slots),
    };
    this.mouthJob = new KernelJob(kernel.arena, MOUTH_JOB);
    this.mouthJob.set({
      ...this.jobTarget(mouths.box),
      width: mouths.box.width,
      height: mouths.box.height,
      maskStride,
      patches,
      patchStride: mouths.stride,
      patchBorder: mouths.border,
      gridWidth: mouth.flow.gw,
      gridHeight: mouth.flow.gh,
      cell: mouth.flow.cell,
      scale,
      offsetX: (mouths.box.x + 0.5) / scale - 0.5 - mouth.box[0],
      offsetY: (mouths.box.y + 0.5) / scale - 0.5 - mouth.box[1],
      field: this.blocks.allocate(mouth.flow.gw * mouth.flow.gh * 8 + 16),
      nodes: this.blocks.allocate((columns + 1) * (rows + 1) * 8 * MAX_PATCHES),
    });
  }

  /** Updates the face plate to `pose`. */
  update(pose: Pose): void {
    const shapes = (pose.mouth.swept ?? [pose.mouth]).map((mouth) =>
      mouthWeights(mouth, this.pack.manifest.mouth, this.indexOf),
    );
    const lids = Math.min(Math.max(pose.lids, 0), 1);
    const { x: gazeX, y: gazeY } = pose.gaze;
    const { eyes } = this;
    const isMouthStale =
      shapes.length !== this.mouth.length || !shapes.every((weights, i) => sameWeights(weights, this.mouth[i]!));
    const areEyesStale = lids !== eyes.lids || gazeX !== eyes.gazeX || gazeY !== eyes.gazeY;
    const isStale = isMouthStale || areEyesStale;
    // Both boxes are restored before either is drawn, because packs may let them overlap.
    const drawEyes = this.boxesTouch ? isStale : areEyesStale;
    const drawMouth = this.boxesTouch ? isStale : isMouthStale;
    if (drawEyes) this.reset(this.textures.lids.box);
    if (drawMouth) this.reset(this.textures.mouths.box);
    if (drawEyes) this.drawEyes(pose.gaze, lids);
    if (drawMouth) {
      for (const [i, weights] of shapes.entries()) this.drawMouth(weights, i === 0 ? this.mouthMask : this.halfMask);
    }
    this.mouth = shapes;
    if (areEyesStale) this.eyes = { lids, gazeX, gazeY };
  }

  /** Frees its own memory, but not the textures. */
  free(): void {
    this.blocks.free();
    this.mouthJob.free();
  }

  private drawMouth(weights: readonly PatchWeight[], mask: MaskAt): void {
    const { mouths, flow } = this.textures;
    const { gw, gh } = this.pack.manifest.mouth.flow;
    const { integers, floats } = this.patchSlots;
    const shares = colourShares(weights);
    weights.forEach(({ patch, weight }, i) => {
      const picture = mouths.pictures[patch]!;
      const slot = (i * PATCH_BYTES) / 4;
      integers[slot] = picture.y;
      integers[slot + 1] = picture.u;
      integers[slot + 2] = picture.v;
      integers[slot + 3] = flow + patch * gw * gh * 8;
      integers[slot + 4] = shares[i]!;
      floats[slot + 5] = weight;
    });
    this.mouthJob.put('patchCount', weights.length);
    this.mouthJob.put('mask', mask.luma);
    this.mouthJob.put('maskHalf', mask.chroma);
    this.kernel.run.drawMouth(this.mouthJob.address);
  }

  private drawEyes(gaze: Pose['gaze'], closed: number): void {
    const { run } = this.kernel;
    const { plate, lids, scale } = this.textures;
    const { pxPerDeg, stages } = this.pack.manifest.eye;
    const { box } = lids;
    const clampGaze = (degrees: number): number => Math.min(Math.max(degrees, -MAX_GAZE), MAX_GAZE) * pxPerDeg * scale;
    const gazeX = Math.round(clampGaze(gaze.x) * 65_536);
    const gazeY = Math.round(clampGaze(gaze.y) * 65_536);
    const above = stages.findIndex((stage) => stage.closed >= closed);
    const upper = stages[above];
    for (const { name, shrink, stride, offset, width, height } of planesOf(box, plate.stride)) {
      const to = plate.face[name] + offset;
      const plane = shrink === 1 ? 'luma' : 'chroma';
      if (gazeX !== 0 || gazeY !== 0) {
        const [visible, follow] = [this.eyeVisible[plane], this.eyeFollow[plane]];
        const [right, down] = [Math.round(gazeX / shrink), Math.round(gazeY / shrink)];
        run.shiftEyes(to, plate.rest[name] + offset, stride, visible, follow, width, height, right, down);
      }
      if (closed <= 0 || upper === undefined) continue;
      const lower = stages[above - 1];
      const from = lower?.closed ?? 0;
      const t = Math.round(((closed - from) / (upper.closed - from)) * ONE);
      const maskStride = lids.stride / shrink;
      const [lowerAt, lowerStride] = lower ? [lids.pictures[above - 1]![name], maskStride] : [to, stride];
      const upperAt = lids.pictures[above]![name];
      run.closeLids(to, stride, lowerAt, lowerStride, upperAt, this.lidMask[plane], maskStride, width, height, t);
    }
  }

  private reset(box: TextureBox): void {
    const { plate } = this.textures;
    for (const { name, stride, offset, width, height } of planesOf(box, plate.stride)) {
      this.kernel.run.copyPlane(plate.face[name] + offset, stride, plate.rest[name] + offset, stride, width, height);
    }
  }

  private jobTarget(box: TextureBox): { toY: number; toU: number; toV: number; stride: number; strideHalf: number } {
    const { face, stride } = this.textures.plate;
    const [y, u, v] = planesOf(box, stride).map(({ name, offset }) => face[name] + offset);
    return { toY: y!, toU: u!, toV: v!, stride, strideHalf: stride / 2 };
  }

  private feather(part: 'mouth' | 'eye', stride: number): Mask {
    const { plate, mouths, lids, scale } = this.textures;
    const alpha = this.kernel.arena.bytes(plate.alpha, plate.stride * plate.height);
    return featherMask({
      box: this.pack.manifest[part].box,
      texels: part === 'mouth' ? mouths.box : lids.box,
      stride,
      scale,
      feather: part === 'mouth' ? MOUTH_FEATHER : LID_FEATHER,
      alphaAt: (x, y) => alpha[y * plate.stride + x]!,
    });
  }

  /** The eye mask at the textures' scale. */
  private visibility(): Mask {
    const { arena } = this.kernel;
    const { box, scale } = { box: this.textures.lids.box, scale: this.textures.scale };
    const { eye } = this.pack.manifest;
    const [width, height] = [eye.box[2] - eye.box[0], eye.box[3] - eye.box[1]];
    const source = arena.allocate(width * height + 64);
    arena.bytes(source, width * height).set(this.pack.eyeMask);
    const scaled = arena.allocate(box.width * box.height + 64);
    resamplePlane(
      this.kernel,
      { at: source, stride: width, width, height },
      { at: scaled, stride: box.width, width: box.width, height: box.height },
      { scale, originX: box.x, originY: box.y, sourceX: eye.box[0], sourceY: eye.box[1], filter: 'soft' },
    );
    const values = arena.bytes(scaled, box.width * box.height);
    const mask = buildMask({ ...box, stride: box.width }, (x, y) => values[y * box.width + x]! / 255);
    arena.free(source);
    arena.free(scaled);
    return mask;
  }

  /** How far each texel moves with the eye. */
  private follow(): Mask {
    const { box } = this.textures.lids;
    const { scale } = this.textures;
    const { eye } = this.pack.manifest;
    return buildMask({ ...box, stride: box.width }, (column, row) => {
      const x = (box.x + column + 0.5) / scale - 0.5 - eye.box[0];
      const y = (box.y + row + 0.5) / scale - 0.5 - eye.box[1];
      const radii = Math.min(...eye.eyes.map((iris) => Math.hypot(x - iris.x, y - iris.y) / iris.r));
      return 1 - smoothstep(RIGID_RADII, STILL_RADII, radii);
    });
  }

  private upload(mask: Mask): MaskAt {
    return { luma: this.blocks.upload(mask.luma), chroma: this.blocks.upload(mask.chroma) };
  }
}

function half(value: number): number {
  return value >> 1;
}

function sameWeights(a: readonly PatchWeight[], b: readonly PatchWeight[]): boolean {
  return a.length === b.length && a.every(({ patch, weight }, i) => patch === b[i]!.patch && weight === b[i]!.weight);
}

/** Colour shares, 0…{@link ONE}, that add up to it; patches below the threshold have already faded out. */
function colourShares(weights: readonly PatchWeight[]): number[] {
  const seen = weights.map(({ colour }) => Math.min(colour, 2 * Math.max(colour - LEAST_COLOUR, 0)));
  const total = seen.reduce((sum, share) => sum + share, 0);
  const shares = seen.map((share) => Math.round((share / total) * ONE));
  // The greatest one absorbs the rounding error.
  const greatest = shares.indexOf(Math.max(...shares));
  shares[greatest]! += ONE - shares.reduce((sum, share) => sum + share, 0);
  return shares;
}

/** Addresses of a mask's planes. */
interface MaskAt {
  readonly luma: number;
  readonly chroma: number;
}

function touch(a: TextureBox, b: TextureBox): boolean {
  return a.x < b.x + b.width && b.x < a.x + a.width && a.y < b.y + b.height && b.y < a.y + a.height;
}
