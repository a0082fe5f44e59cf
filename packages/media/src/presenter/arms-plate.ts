import { ARM_MOTIONS, ARMS, type Arm, type ArmPose, type Pose } from '../face/contract.js';
import type { YuvaFrame } from '../frame.js';
import type { DrawingKernel } from './kernel.js';
import type { LoadedArms } from './pack/pack.js';
import { ALPHA_BLOCK, type PackTextures, premultiply, scaleBox, type TextureBox } from './pack/textures.js';
import { resamplePlane } from './resample.js';

/** The planes of a picture that are drawn into the plate, and whether they have half the luma's size. */
const PLANES = [
  ['y', false],
  ['a', false],
  ['u', true],
  ['v', true],
  ['aHalf', true],
] as const;

type PlaneAddresses = Readonly<Record<(typeof PLANES)[number][0], number>>;

/** One arm in one motion, and the keys that are already in the kernel's memory. */
interface ArmTextures {
  readonly box: TextureBox;
  readonly stride: number;
  readonly sources: readonly YuvaFrame[];
  /** File px of the pictures' first pixel. */
  readonly sourceX: number;
  readonly sourceY: number;
  readonly keys: (PlaneAddresses | undefined)[];
}

/** What is drawn of an arm: a motion, and the place between two of its keys. */
interface Shown {
  readonly textures: ArmTextures;
  readonly key: number;
  /** 0…32767, share of the next key. */
  readonly share: number;
}

const ONE = 32767;

/**
 * Keeps the arms of a plate in sync with the pose: draws the pictures of moving arms, with their alpha, into `textures.plate`. Pictures are
 * resampled when they are first needed.
 */
export class ArmsPlate {
  private readonly blocks: number[] = [];
  private readonly arms: ReadonlyMap<string, ArmTextures>;
  private readonly shown = new Map<Arm, Shown>();
  /** Weights 255 for the cross-fade between two keys. */
  private readonly all: number;

  constructor(
    private readonly kernel: DrawingKernel,
    private readonly loaded: LoadedArms,
    private readonly textures: PackTextures,
  ) {
    const { scale, plate } = textures;
    const entries = ARM_MOTIONS.flatMap((motion) =>
      ARMS.map((arm): [string, ArmTextures] => {
        const { box: source, keys } = loaded.motions[motion][arm];
        const box = scaleBox(source, scale, plate);
        const stride = Math.ceil(box.width / 16) * 16;
        const [sourceX, sourceY] = [source[0] / loaded.step, source[1] / loaded.step];
        return [`${motion} ${arm}`, { box, stride, sources: keys, sourceX, sourceY, keys: [] }];
      }),
    );
    this.arms = new Map(entries);
    const most = Math.max(...entries.map(([, { stride, box }]) => stride * box.height));
    this.all = this.allocate(most + 16);
    kernel.arena.bytes(this.all, most).fill(255);
    // The rest is drawn from the same pictures as the motions, so that nothing changes its sharpness when an arm begins to move.
    for (const [, arm] of entries) this.draw({ textures: arm, key: 0, share: 0 });
  }

  /** Boxes of the arms that differ between two poses, texels; without poses, of all arms in all motions. */
  boxes(from?: Pose['arms'], to?: Pose['arms']): TextureBox[] {
    if (from === to && from !== undefined) return [];
    const all = [...this.arms.values()].map(({ box }) => box);
    if (from === undefined && to === undefined) return all;
    return ARMS.flatMap((arm) => {
      const [a, b] = [from?.[arm], to?.[arm]];
      if (a?.motion === b?.motion && a?.amount === b?.amount) return [];
      return [a, b].flatMap((pose) => (pose ? this.arms.get(`${pose.motion} ${arm}`)!.box : []));
    });
  }

  /** Draws the arms of a pose; nothing if they are already drawn. */
  update(arms: Pose['arms']): void {
    for (const arm of ARMS) {
      const [last, next] = [this.shown.get(arm), this.placeOf(arm, arms?.[arm])];
      if (last?.textures === next?.textures && last?.key === next?.key && last?.share === next?.share) continue;
      if (last && last.textures !== next?.textures) this.draw({ ...last, key: 0, share: 0 });
      if (next) this.draw(next);
      if (next) this.shown.set(arm, next);
      else this.shown.delete(arm);
    }
  }

  /** Frees its own memory, but not the textures. */
  free(): void {
    for (const block of this.blocks.splice(0)) this.kernel.arena.free(block);
  }

  private placeOf(arm: Arm, pose: ArmPose | undefined): Shown | undefined {
    if (pose === undefined) return undefined;
    const textures = this.arms.get(`${pose.motion} ${arm}`)!;
    const last = textures.sources.length - 1;
    const place = Math.min(Math.max(pose.amount, 0), 1) * last;
    const key = Math.min(Math.floor(place), last - 1);
    return { textures, key, share: Math.round((place - key) * ONE) };
  }

  private draw({ textures, key, share }: Shown): void {
    const { run } = this.kernel;
    const { box, stride } = textures;
    const { plate } = this.textures;
    const [from, next] = [this.keyOf(textures, key), share > 0 ? this.keyOf(textures, key + 1) : undefined];
    const target: PlaneAddresses = { ...plate.face, a: plate.alpha, aHalf: plate.alphaHalf };
    for (const [name, isHalf] of PLANES) {
      const shrink = isHalf ? 2 : 1;
      const [width, height] = [box.width / shrink, box.height / shrink];
      const [toStride, fromStride] = [plate.stride / shrink, stride / shrink];
      const to = target[name] + (box.y / shrink) * toStride + box.x / shrink;
      if (next === undefined) run.copyPlane(to, toStride, from[name], fromStride, width, height);
      else {
        run.closeLids(to, toStride, from[name], fromStride, next[name], this.all, fromStride, width, height, share);
      }
    }
    this.summarise(box);
  }

  /** The alpha summary of the rows of a box. */
  private summarise({ y, height }: TextureBox): void {
    const { alpha, border, stride, blockMin, blockMax, blockStride } = this.textures.plate;
    const first = Math.floor((y + border) / ALPHA_BLOCK);
    const rows = Math.ceil((y + border + height) / ALPHA_BLOCK) - first;
    const from = alpha - border * (stride + 1) + first * ALPHA_BLOCK * stride;
    const at = first * blockStride;
    this.kernel.run.summarise(from, stride, stride, rows * ALPHA_BLOCK, blockMin + at, blockMax + at);
  }

  private keyOf(textures: ArmTextures, key: number): PlaneAddresses {
    const known = textures.keys[key];
    if (known) return known;
    const { box, stride, sourceX, sourceY } = textures;
    const source = premultiply(this.kernel, textures.sources[key]!);
    const luma = stride * box.height;
    const block = this.allocate(luma * 2.75 + 64);
    const half = (i: number): number => block + 2 * luma + (i * luma) / 4;
    const planes: PlaneAddresses = { y: block, a: block + luma, u: half(0), v: half(1), aHalf: half(2) };
    for (const [name, isHalf] of PLANES) {
      const shrink = isHalf ? 2 : 1;
      const to = { at: planes[name], stride: stride / shrink, width: box.width / shrink, height: box.height / shrink };
      resamplePlane(this.kernel, source[name], to, {
        scale: this.textures.scale * this.loaded.step,
        originX: box.x / shrink,
        originY: box.y / shrink,
        sourceX: sourceX / shrink,
        sourceY: sourceY / shrink,
        // Alpha must not overshoot, nor colour where it is multiplied by alpha.
        filter: 'soft',
      });
    }
    source.free();
    textures.keys[key] = planes;
    return planes;
  }

  private allocate(bytes: number): number {
    const at = this.kernel.arena.allocateZeroed(bytes);
    this.blocks.push(at);
    return at;
  }
}
