import { ARM_MOTIONS, ARMS, type Arm, type ArmPose, type Pose } from '../face/contract.js';
import { clamp } from '../face/easing.js';
import type { YuvaFrame } from '../frame.js';
import type { LoadedArms } from '../pack/pack.js';
import { ALPHA_BLOCK, type PackTextures, premultiply, scaleBox, type TextureBox } from '../pack/textures.js';
import { Blocks } from './arena.js';
import type { DrawingKernel } from './kernel.js';
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
  /** Plate px of the box's corner. */
  readonly cornerX: number;
  readonly cornerY: number;
  readonly keys: readonly YuvaFrame[];
  readonly pictures: (PlaneAddresses | undefined)[];
}

/** What is drawn of an arm: the number of a key. */
interface Shown {
  readonly textures: ArmTextures;
  readonly key: number;
}

/**
 * Keeps the arms of a plate in sync with the pose: draws the nearest key of moving arms, with its alpha, into `textures.plate`. Keys are
 * resampled when they are first needed.
 */
export class ArmsPlate {
  private readonly blocks: Blocks;
  private readonly arms: ReadonlyMap<string, ArmTextures>;
  private readonly shown = new Map<Arm, Shown>();

  constructor(
    private readonly kernel: DrawingKernel,
    private readonly loaded: LoadedArms,
    private readonly textures: PackTextures,
  ) {
    this.blocks = new Blocks(kernel.arena);
    const { scale, plate } = textures;
    const right = Math.min(...ARM_MOTIONS.map((motion) => scaleBox(loaded.motions[motion].right.box, scale, plate).x));
    const entries = ARM_MOTIONS.flatMap((motion) =>
      ARMS.map((arm): [string, ArmTextures] => {
        const { box: source, keys } = loaded.motions[motion][arm];
        const whole = scaleBox(source, scale, plate);
        // Rounded outwards, both arms' boxes would overlap in the middle.
        const box = arm === 'left' ? { ...whole, width: Math.min(whole.width, right - whole.x) } : whole;
        const stride = Math.ceil(box.width / 16) * 16;
        const [cornerX, cornerY] = source;
        return [`${motion} ${arm}`, { box, stride, cornerX, cornerY, keys, pictures: [] }];
      }),
    );
    this.arms = new Map(entries);
    for (const arm of ARMS) this.rest(arm);
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
      if (last?.textures === next?.textures && last?.key === next?.key) continue;
      if (last && last.textures !== next?.textures) this.rest(arm);
      if (next) this.draw(next);
      if (next) this.shown.set(arm, next);
      else this.shown.delete(arm);
    }
  }

  /** Frees its own memory, but not the textures. */
  free(): void {
    this.blocks.free();
  }

  /**
   * Draws an arm at rest, from the same pictures as its motions, so that nothing changes its sharpness when it begins to move. Always in the
   * same order, because the motions' boxes overlap.
   */
  private rest(arm: Arm): void {
    for (const motion of ARM_MOTIONS) this.draw({ textures: this.arms.get(`${motion} ${arm}`)!, key: 0 });
  }

  private placeOf(arm: Arm, pose: ArmPose | undefined): Shown | undefined {
    if (pose === undefined) return undefined;
    const textures = this.arms.get(`${pose.motion} ${arm}`)!;
    return { textures, key: Math.round(clamp(pose.amount, 0, 1) * (textures.keys.length - 1)) };
  }

  private draw({ textures, key }: Shown): void {
    const { box, stride } = textures;
    const { plate } = this.textures;
    const from = this.pictureOf(textures, key);
    const target: PlaneAddresses = { ...plate.face, a: plate.alpha, aHalf: plate.alphaHalf };
    for (const [name, isHalf] of PLANES) {
      const shrink = isHalf ? 2 : 1;
      const to = target[name] + ((box.y / shrink) * plate.stride) / shrink + box.x / shrink;
      const [width, height] = [box.width / shrink, box.height / shrink];
      this.kernel.run.copyPlane(to, plate.stride / shrink, from[name], stride / shrink, width, height);
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

  private pictureOf(textures: ArmTextures, key: number): PlaneAddresses {
    const known = textures.pictures[key];
    if (known) return known;
    const planes = this.planesFor(textures);
    this.upload(textures, key, planes);
    textures.pictures[key] = planes;
    return planes;
  }

  private planesFor({ box, stride }: ArmTextures): PlaneAddresses {
    const luma = stride * box.height;
    const block = this.blocks.allocate(luma * 2.75 + 64);
    const half = (i: number): number => block + 2 * luma + (i * luma) / 4;
    return { y: block, a: block + luma, u: half(0), v: half(1), aHalf: half(2) };
  }

  private upload({ box, stride, cornerX, cornerY, keys }: ArmTextures, key: number, planes: PlaneAddresses): void {
    const source = premultiply(this.kernel, keys[key]!);
    for (const [name, isHalf] of PLANES) {
      const shrink = isHalf ? 2 : 1;
      const to = { at: planes[name], stride: stride / shrink, width: box.width / shrink, height: box.height / shrink };
      resamplePlane(this.kernel, source[name], to, {
        scale: this.textures.scale * this.loaded.step,
        originX: box.x / shrink,
        originY: box.y / shrink,
        sourceX: cornerX / this.loaded.step / shrink,
        sourceY: cornerY / this.loaded.step / shrink,
        // Alpha must not overshoot, nor colour where it is multiplied by alpha.
        filter: 'soft',
      });
    }
    source.free();
  }
}
