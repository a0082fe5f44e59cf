import type { Scheduler } from './media-clock.js';

/** Length of a slot in ms. Everything due within a slot runs at its end. The periods of sound and pictures are multiples of it. */
const SLOT_MS = 5;
/** Deferrable calls run together at multiples of this many slots (20 ms, the period of sound). */
const GATHERED = 4;
/** Phases for media clocks: the slots in the period of 25 pictures per second, in the order of use, far apart. */
const PLACES = [0, 4, 2, 6, 1, 5, 3, 7] as const;
/**
 * Media clocks that share a phase before the next phase is used, because consecutive pictures share the processor's cache. Four together
 * take about 6 % less time than one by one, in bursts of about 4 ms; more gain little and delay their pictures.
 */
const TOGETHER = 4;
/** Slots of the wheel, a power of two: more than the time between two pictures at the slowest rate. */
const RING = 64;

interface Call {
  act: (() => void) | undefined;
}

/**
 * The scheduler that all sessions of a process share: one timer wakes the thread for everything due within 5 ms, instead of one or two
 * timers per session. Idle sessions run together every 20 ms. Drawing sessions run in groups, spread over the picture period. All sound due
 * at an instant is sent before its pictures are drawn.
 */
export class TimerWheel implements Scheduler {
  private readonly ring: Call[][] = Array.from({ length: RING }, () => []);
  private readonly places: number[] = PLACES.map(() => 0);
  private readonly lasts: (() => void)[] = [];
  private waiting = 0;
  /** First slot that has not run. */
  private next = 0;
  private timer: NodeJS.Timeout | undefined;
  private timerSlot = Number.POSITIVE_INFINITY;
  private isWorking = false;

  /** `time` in ms, monotonic. */
  constructor(private readonly time: () => number = () => performance.now()) {}

  now(): number {
    return this.time();
  }

  after(delayMs: number, call: () => void, canWait = false): () => void {
    const nowMs = this.time();
    if (this.waiting === 0) this.next = Math.floor(nowMs / SLOT_MS) + 1;
    // A tolerance of 0.01 slot: rounding errors of summed periods may end just behind a boundary.
    const due = Math.ceil((nowMs + delayMs) / SLOT_MS - 0.01);
    const wanted = canWait ? GATHERED * Math.ceil(due / GATHERED) : due;
    const slot = Math.min(Math.max(wanted, this.next), this.next + RING - 1);
    const entry: Call = { act: call };
    this.ring[slot % RING]!.push(entry);
    this.waiting++;
    if (slot < this.timerSlot && !this.isWorking) this.wakeAt(slot, nowMs);
    return () => {
      entry.act = undefined;
    };
  }

  join(): { startMs: number; leave(): void } {
    const place = this.takePlace();
    const first = Math.floor(this.time() / SLOT_MS) + 1;
    const slot = first + ((((place - first) % PLACES.length) + PLACES.length) % PLACES.length);
    this.places[place]!++;
    return {
      startMs: slot * SLOT_MS,
      leave: () => {
        this.places[place]!--;
      },
    };
  }

  last(call: () => void): void {
    if (this.isWorking) this.lasts.push(call);
    else call();
  }

  /** The phase whose group is incomplete, or else the one with the fewest clocks. */
  private takePlace(): number {
    const open = PLACES.find((place) => this.places[place]! % TOGETHER > 0);
    if (open !== undefined) return open;
    const fewest = Math.min(...this.places);
    return PLACES.find((place) => this.places[place] === fewest)!;
  }

  private wakeAt(slot: number, nowMs: number): void {
    clearTimeout(this.timer);
    this.timerSlot = slot;
    // Rounded up, because a timer that fires early finds nothing due.
    this.timer = setTimeout(this.onTimer, Math.max(0, Math.ceil(slot * SLOT_MS - nowMs)));
  }

  private readonly onTimer = (): void => {
    this.timerSlot = Number.POSITIVE_INFINITY;
    const due = Math.floor(this.time() / SLOT_MS);
    this.isWorking = true;
    while (this.next <= due && this.waiting > 0) {
      const index = this.next++ % RING;
      const calls = this.ring[index]!;
      if (calls.length === 0) continue;
      this.ring[index] = [];
      this.waiting -= calls.length;
      for (const { act } of calls) act?.();
    }
    // Calls that these schedule are covered by the timer set below.
    for (const call of this.lasts.splice(0)) call();
    this.isWorking = false;
    if (this.waiting === 0) return;
    let slot = this.next;
    while (this.ring[slot % RING]!.length === 0) slot++;
    this.wakeAt(slot, this.time());
  };
}
