import { CONSONANT_SHAPES, type ConsonantShape, type MouthPose } from './contract.js';
import { type Block, drawBlock, HOP, MARGIN } from './curves.js';
import { ms } from './easing.js';
import type { MouthPart } from './movement.js';

/** Points of one block of curves (2 s): large enough to amortise its margins, small enough for the cache. */
const BLOCK_POINTS = 400;
/** Maximum distance at which a part affects the curves. */
export const PART_REACH = ms(260);

/** The mouth from speech alone, without an expression. */
export type SpeechMouth = Omit<MouthPose, 'smile'>;

/**
 * Mouth curves of speech, computed in blocks on demand and cached in bounded memory, so that a pose costs only an
 * interpolation, in any order of calls. `partsBetween` returns the parts that overlap a span of samples, by time.
 */
export class MouthCurves {
  private readonly blocks = new Map<number, Block>();

  constructor(
    private readonly partsBetween: (from: number, to: number) => readonly MouthPart[],
    private readonly options: { readonly maxBlocks: number; readonly jaw: number },
  ) {}

  /** The mouth at a sample ≥ 0. */
  at(sample: number): SpeechMouth {
    const point = sample / HOP;
    const index = Math.floor(point / BLOCK_POINTS);
    const block = this.block(index);
    const offset = point - index * BLOCK_POINTS;
    const i = Math.floor(offset);
    const t = offset - i;
    const read = (curve: Float32Array): number => (curve[i] ?? 0) * (1 - t) + (curve[i + 1] ?? 0) * t;
    const consonants: Partial<Record<ConsonantShape, number>> = {};
    block.weights.forEach((curve, k) => {
      const weight = read(curve);
      const name = CONSONANT_SHAPES[k];
      if (weight > 0.004 && name !== undefined) consonants[name] = weight;
    });
    return { open: read(block.open), width: read(block.width), consonants };
  }

  /** Discards curves from `sample` on, because the speech there has changed. */
  invalidate(sample: number): void {
    // A change also affects the curves before it, up to its reach.
    const first = Math.floor((sample - PART_REACH - MARGIN * HOP) / (HOP * BLOCK_POINTS));
    for (const index of this.blocks.keys()) if (index >= first) this.blocks.delete(index);
  }

  private block(index: number): Block {
    const known = this.blocks.get(index);
    if (known !== undefined) return known;
    const first = index * BLOCK_POINTS - MARGIN;
    const points = BLOCK_POINTS + 1 + 2 * MARGIN;
    const parts = this.partsBetween(first * HOP - PART_REACH, (first + points) * HOP + PART_REACH);
    const block = drawBlock(parts, { first, points }, this.options.jaw);
    // Oldest first: a Map keeps the order of insertion.
    for (const oldest of this.blocks.keys()) {
      if (this.blocks.size < this.options.maxBlocks) break;
      this.blocks.delete(oldest);
    }
    this.blocks.set(index, block);
    return block;
  }
}
