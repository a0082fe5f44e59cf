import type { PacerClock } from './pacer.js';

/** Time is cut into slots of this many ms: whatever is due within one is done at its end. Sound and picture periods are multiples of it. */
const SLOT_MS = 5;
/** Slots that what can wait is gathered over (20 ms, the period of sound). */
const GATHERED = 4;
/** Slots in the period of 25 pictures a second: places for pacers, in the order in which they are taken, far apart. */
const PLACES = [0, 4, 2, 6, 1, 5, 3, 7] as const;
/**
 * Pacers that share a place before the next one is taken: what one picture has brought into the processor's cache serves the next. Four at a
 * time take some 6 % less than one by one, in bursts of some 4 ms; more at a time gain little and get their pictures late.
 */
const TOGETHER = 4;
/** Slots that can be looked ahead, a power of two: longer than the time between two pictures of the slowest rate. */
const RING = 64;

interface Call {
  act: (() => void) | undefined;
}

/**
 * The clock that all sessions of a process share: one timer wakes the thread for everything that is due within 5 ms, instead of one or two
 * timers a session; sessions that rest are served together every 20 ms. Those that draw do so in groups, spread over the whole period and
 * not all at once; everybody's sound of a moment goes before its pictures.
 */
export class Heartbeat implements PacerClock {
  private readonly ring: Call[][] = Array.from({ length: RING }, () => []);
  private readonly places: number[] = PLACES.map(() => 0);
  private readonly lasts: (() => void)[] = [];
  private waiting = 0;
  /** First slot that has not been worked off. */
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
    // A hundredth of a slot: sums of periods that are not whole in binary may end just behind a boundary.
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

  enter(): { startMs: number; leave(): void } {
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

  /** One that is being filled, else the emptiest. */
  private takePlace(): number {
    const open = PLACES.find((place) => this.places[place]! % TOGETHER > 0);
    if (open !== undefined) return open;
    const fewest = Math.min(...this.places);
    return PLACES.find((place) => this.places[place] === fewest)!;
  }

  private wakeAt(slot: number, nowMs: number): void {
    clearTimeout(this.timer);
    this.timerSlot = slot;
    // Rounded up: a timer that fires early finds nothing to do.
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
    // The timer is set again after these, whatever they ask for.
    for (const call of this.lasts.splice(0)) call();
    this.isWorking = false;
    if (this.waiting === 0) return;
    let slot = this.next;
    while (this.ring[slot % RING]!.length === 0) slot++;
    this.wakeAt(slot, this.time());
  };
}
