import type { FrameRate } from '@figurehead/presenter/time';

/** A session steps down when this share of a window's pictures was skipped, and up after this many windows without skips. */
const TOO_MANY = 0.15;
const CALM_WINDOWS = 5;

/** One quality level. */
export interface Rung {
  readonly framesPerSecond: number;
  /** Factor on the picture's sides. */
  readonly scale: number;
}

/** The quality ladder of a session on a busy machine: first fewer pictures, then smaller ones. Sound is not reduced. */
export class Ladder {
  private readonly rungs: readonly Rung[];
  private at = 0;
  private calm = 0;

  constructor(fps: FrameRate) {
    const rates = [25, 20, 15].filter((rate) => rate < fps);
    const slowest = rates.at(-1) ?? fps;
    this.rungs = [
      { framesPerSecond: fps, scale: 1 },
      ...rates.map((framesPerSecond) => ({ framesPerSecond, scale: 1 })),
      { framesPerSecond: slowest, scale: 0.75 },
      { framesPerSecond: slowest, scale: 0.5 },
    ];
  }

  /** The current quality level. */
  get rung(): Rung {
    return this.rungs[this.at]!;
  }

  /** Takes the counts of shown and skipped pictures of a window of 2 s. Returns true when the rung changed. */
  onWindow(shown: number, skipped: number): boolean {
    const before = this.at;
    const share = skipped / Math.max(1, shown + skipped);
    if (share > TOO_MANY) {
      this.calm = 0;
      this.at = Math.min(this.at + 1, this.rungs.length - 1);
    } else if (share > 0.02) {
      this.calm = 0;
    } else if (++this.calm >= CALM_WINDOWS) {
      this.calm = 0;
      this.at = Math.max(0, this.at - 1);
    }
    return this.at !== before;
  }
}
