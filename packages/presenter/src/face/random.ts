/**
 * Counter-based random numbers: every draw is a hash of (seed, stream, index), so that it can be repeated at any time, in
 * any order, on any thread. A stateful generator could not compute the pose at an arbitrary sample.
 */

/** Independent sequences of draws; the number is part of the hash. */
export const CHANCE = {
  blink: 1,
  doubleBlink: 2,
  fixation: 3,
  contact: 4,
  gazeX: 5,
  gazeY: 6,
  phase: 7,
  phraseYaw: 8,
  phrasePitch: 9,
  phraseRoll: 10,
  nod: 11,
  brow: 12,
  agree: 13,
  side: 14,
  armMotion: 15,
  armBoth: 16,
  armSide: 17,
  armSize: 18,
  armRest: 19,
  armAgain: 20,
  turn: 21,
} as const;

/** Name of a sequence of draws. */
type Chance = (typeof CHANCE)[keyof typeof CHANCE];

/** Finaliser of MurmurHash3 (32 bit): every input bit flips each output bit with a probability near one half. */
function mix(value: number): number {
  let h = value | 0;
  h = Math.imul(h ^ (h >>> 16), 0x85ebca6b);
  h = Math.imul(h ^ (h >>> 13), 0xc2b2ae35);
  return (h ^ (h >>> 16)) >>> 0;
}

/** Uniform number in [0, 1) number `index` (any integer) of a sequence. */
export function uniform(seed: number, chance: Chance, index: number): number {
  return mix(mix(mix(seed) + Math.imul(chance, 0x9e3779b1)) + Math.imul(index, 0x85ebca77)) / 0x1_0000_0000;
}

/** Uniform number in [−1, 1) number `index` of a sequence. */
export function signed(seed: number, chance: Chance, index: number): number {
  return uniform(seed, chance, index) * 2 - 1;
}

/** Standard normal number `index` of a sequence (Box–Muller). */
function normal(seed: number, chance: Chance, index: number): number {
  const radius = Math.sqrt(-2 * Math.log(1 - uniform(seed, chance, 2 * index)));
  return radius * Math.cos(2 * Math.PI * uniform(seed, chance, 2 * index + 1));
}

/** Events in one slot of a {@link eventsAround} process. */
const SLOT = 8;

/** One event of a random process on a dimensionless axis with a mean of one event per unit. */
interface ChanceEvent {
  /** Number of the event, usable as index of further draws. */
  readonly index: number;
  /** Position on the axis. */
  readonly at: number;
}

/**
 * The last `count` events at or before `position` (latest first) of a process whose gaps are log-normal with spread
 * `sigma` and mean 1. Gaps are drawn in slots of eight that are scaled to a length of exactly eight, which makes the
 * process addressable anywhere in constant time; the mean rate is exact.
 */
export function eventsAround(
  process: { seed: number; chance: Chance; sigma: number },
  position: number,
  count: number,
): ChanceEvent[] {
  const found: ChanceEvent[] = [];
  // The seed shifts the axis; otherwise all presenters would have an event at 0.
  const shift = uniform(process.seed, process.chance, -1) * SLOT;
  for (let slot = Math.floor((position + shift) / SLOT); found.length < count; slot--) {
    const gaps: number[] = [];
    let sum = 0;
    for (let i = 0; i < SLOT; i++) {
      const gap = Math.exp(process.sigma * normal(process.seed, process.chance, slot * SLOT + i));
      gaps.push(gap);
      sum += gap;
    }
    const starts: number[] = [];
    let at = slot * SLOT - shift;
    for (const gap of gaps) {
      starts.push(at);
      at += (gap * SLOT) / sum;
    }
    for (let i = SLOT - 1; i >= 0 && found.length < count; i--) {
      const start = starts[i];
      if (start !== undefined && start <= position) found.push({ index: slot * SLOT + i, at: start });
    }
  }
  return found;
}
