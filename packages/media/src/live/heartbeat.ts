import type { PacerClock } from './pacer.js';

/** Time is cut into slots of this many ms: whatever is due within one is done at its end. Sound and picture periods are multiples of it. */
const SLOT_MS = 5;
/** Slots in the period of 25 pictures a second: places among which pacers are spread. */
const PLACES = 8;
/** Slots that can be looked ahead, a power of two: longer than the time between two pictures of the slowest rate. */
const RING = 64;

interface Call {
  act: (() => void) | undefined;
}

/**
 * The clock that all sessions of a process share: one timer wakes the thread for everything that is due within 5 ms, instead of one or two
 * timers a session. Sessions start in the place where the fewest others are, so that their pictures are drawn one after another over the
 * whole period and not all at once.
 */
export class Heartbeat implements PacerClock {
  private readonly ring: Call[][] = Array.from({ length: RING }, () => []);
  private readonly places: number[] = Array.from({ length: PLACES }, () => 0);
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

  after(delayMs: number, call: () => void): () => void {
    const nowMs = this.time();
    if (this.waiting === 0) this.next = Math.floor(nowMs / SLOT_MS) + 1;
    // A hundredth of a slot: sums of periods that are not whole in binary may end just behind a boundary.
    const wanted = Math.ceil((nowMs + delayMs) / SLOT_MS - 0.01);
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
    const first = Math.floor(this.time() / SLOT_MS) + 1;
    let best = first;
    for (let slot = first; slot < first + PLACES; slot++) {
      if (this.places[slot % PLACES]! < this.places[best % PLACES]!) best = slot;
    }
    const place = best % PLACES;
    this.places[place]!++;
    return {
      startMs: best * SLOT_MS,
      leave: () => {
        this.places[place]!--;
      },
    };
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
    this.isWorking = false;
    if (this.waiting === 0) return;
    let slot = this.next;
    while (this.ring[slot % RING]!.length === 0) slot++;
    this.wakeAt(slot, this.time());
  };
}
