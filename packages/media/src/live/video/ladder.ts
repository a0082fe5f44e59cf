import type { FrameRate } from '../../time.js';

/** Share of pictures that came too late within a window that makes a session step down, and the windows without any before it steps up. */
const TOO_MANY = 0.15;
const CALM_WINDOWS = 5;

/** A way to show less. */
export interface Rung {
  readonly framesPerSecond: number;
  /** Of the picture's sides. */
  readonly scale: number;
}

/** How a session gives way when the machine is too busy: fewer pictures, then smaller ones. The sound never does. */
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

  /** What to show now. */
  get rung(): Rung {
    return this.rungs[this.at]!;
  }

  /** Takes the pictures of a window of some 2 s: those shown and those that had to be skipped. True when the rung changed. */
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
