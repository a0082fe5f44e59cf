import type { FrameRate } from '@figurehead/presenter/time';

/** A session steps down when this share of a window's pictures was skipped, and up after this many windows without skips. */
const TOO_MANY = 0.15;
const CALM_WINDOWS = 5;
/** Windows for which the network must have carried a better level before it is tried, and the most after attempts that failed. */
const STEADY_WINDOWS = 2;
const MOST_STEADY_WINDOWS = 16;
/** A step up within this many windows before a step down has failed. */
const FAILED_WITHIN = 5;
/** More than a level needs, before it is tried. */
const HEADROOM = 1.2;

/** One quality level. */
export interface Rung {
  readonly framesPerSecond: number;
  /** Factor on the picture's sides. */
  readonly scale: number;
}

/** Levels for the network, and the least bits per second for each where the full picture has 512×512 pixels. */
const NETWORK_RUNGS: readonly (Rung & { readonly least: number })[] = [
  { framesPerSecond: 60, scale: 1, least: 170_000 },
  { framesPerSecond: 25, scale: 0.75, least: 75_000 },
  { framesPerSecond: 25, scale: 0.5, least: 45_000 },
  { framesPerSecond: 15, scale: 0.5, least: 0 },
];

/**
 * The quality ladder of a session: on a busy machine first fewer pictures, then smaller ones; on a narrow network first smaller ones. The lower of both
 * levels holds. Sound is not reduced.
 */
export class Ladder {
  private readonly rungs: readonly Rung[];
  private at = 0;
  private calm = 0;
  private networkAt = 0;
  private bits = Number.POSITIVE_INFINITY;
  private steady = 0;
  private patience = STEADY_WINDOWS;
  private sinceUp = FAILED_WITHIN;

  /** @param pixels of the full picture. */
  constructor(
    fps: FrameRate,
    private readonly pixels: number,
  ) {
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
    const machine = this.rungs[this.at]!;
    const network = NETWORK_RUNGS[this.networkAt]!;
    return {
      framesPerSecond: Math.min(machine.framesPerSecond, network.framesPerSecond),
      scale: Math.min(machine.scale, network.scale),
    };
  }

  /** Takes the bits per second that the network carries; steps down at once. */
  onBits(bitsPerSecond: number): void {
    this.bits = bitsPerSecond;
    const lowest = this.networkRungFor(bitsPerSecond);
    if (lowest <= this.networkAt) return;
    if (this.sinceUp < FAILED_WITHIN) this.patience = Math.min(2 * this.patience, MOST_STEADY_WINDOWS);
    this.networkAt = lowest;
    this.steady = 0;
  }

  /** Takes the counts of shown and skipped pictures of a window of 2 s. */
  onWindow(shown: number, skipped: number): void {
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
    this.climb();
  }

  /** One level at a time. Each attempt that fails doubles the time until the next, so that the picture does not flicker. */
  private climb(): void {
    this.sinceUp++;
    if (this.sinceUp > MOST_STEADY_WINDOWS) this.patience = STEADY_WINDOWS;
    const isCarried = this.networkRungFor(this.bits / HEADROOM) < this.networkAt;
    this.steady = isCarried ? this.steady + 1 : 0;
    if (this.steady < this.patience) return;
    this.steady = 0;
    this.sinceUp = 0;
    this.networkAt--;
  }

  private networkRungFor(bits: number): number {
    // Neighbouring pixels are alike, so a picture of twice the size does not need twice the bits.
    const factor = (this.pixels / 512 ** 2) ** 0.75;
    return NETWORK_RUNGS.findIndex(({ least }) => bits >= least * factor);
  }
}
