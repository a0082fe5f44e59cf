import type { OwnMotion } from '@figurehead/presenter/face';
import type { MouthShape } from './mouth-shapes.js';
import { medianOf, quantileOf, type TrackedFrame } from './tracking.js';

/** Values per second of the loop; heads hardly move faster than twice per second. */
const RATE = 5;

/** Length of a loop, and of its end that passes into its start, seconds. */
const MIN_SECONDS = 8;
const MAX_SECONDS = 40;
const SEAM_SECONDS = 1.2;

/** Time over which the network's errors are averaged, seconds. */
const SMOOTH_SECONDS = 0.25;

/** Greatest angle that a plate can be turned by without its sides showing, radians. */
const MOST = { yaw: 0.07, pitch: 0.04, roll: 0.035 } as const;

/** Share of the movements that must be within, and factor on all of them, because accents of the speech are added. */
const USUAL = 0.9;
const CALM = 0.8;

/** A closed eye opens less than this share of its usual opening. */
export const CLOSED = 0.72;

/** Blinks per minute of people; what is measured beyond is an error. */
const BLINKS = { least: 6, most: 40 } as const;

type Axis = keyof typeof MOST;

const AXES = { yaw: 'turn', pitch: 'nod', roll: 'tilt' } as const;

/**
 * The movements of a person's head through a film, as a loop, and how often they blink.
 */
export function ownMotion(shapes: readonly MouthShape[]): OwnMotion {
  const frames = shapes.map(({ frame }) => frame);
  const first = frames[0]!.seconds;
  const count = Math.floor((frames.at(-1)!.seconds - first) * RATE);
  const curve = (axis: Axis): number[] =>
    Array.from({ length: count }, (_, i) => {
      return (SIGN[axis] * meanAround(frames, AXES[axis], first + i / RATE) * Math.PI) / 180;
    });
  const whole = {
    yaw: within(curve('yaw'), 'yaw'),
    pitch: within(curve('pitch'), 'pitch'),
    roll: within(curve('roll'), 'roll'),
  };
  const { start, length } = findLoop(whole, count);
  const seam = Math.round(SEAM_SECONDS * RATE);
  const closed = (values: readonly number[]): number[] =>
    Array.from({ length }, (_, i) => {
      const share = Math.max(0, (i - (length - seam) + 1) / (seam + 1));
      const mixed = values[start + i]! * (1 - share) + (values[start + i - length] ?? values[start]!) * share;
      return Math.round(mixed * 1e4) / 1e4;
    });
  return {
    rate: RATE,
    yaw: closed(whole.yaw),
    pitch: closed(whole.pitch),
    roll: closed(whole.roll),
    blinksPerMinute: blinksPerMinute(shapes),
  };
}

/** Signs of the pack's angles for a turn to the right of the picture, a nod down and a tilt clockwise. */
const SIGN = { yaw: 1, pitch: 1, roll: -1 } as const;

/** A curve around its middle, made smaller as a whole where the plate could not follow: a person keeps the rhythm. */
function within(angles: readonly number[], axis: Axis): number[] {
  const middle = medianOf(angles);
  const widest = quantileOf(
    angles.map((angle) => Math.abs(angle - middle)),
    USUAL,
  );
  const scale = Math.min(CALM, MOST[axis] / Math.max(widest, 1e-6));
  return angles.map((angle) => Math.min(Math.max(scale * (angle - middle), -1.2 * MOST[axis]), 1.2 * MOST[axis]));
}

/** Mean attitude around a time, weighted by nearness. */
function meanAround(frames: readonly TrackedFrame[], axis: 'turn' | 'nod' | 'tilt', seconds: number): number {
  let [sum, weights] = [0, 1e-9];
  for (const frame of frames) {
    const weight = Math.exp(-(((frame.seconds - seconds) / SMOOTH_SECONDS) ** 2));
    sum += weight * frame.attitude[axis];
    weights += weight;
  }
  return sum / weights;
}

/** The longest stretch whose end meets its start well, in values. */
function findLoop(
  { yaw, pitch, roll }: Readonly<Record<Axis, readonly number[]>>,
  count: number,
): { start: number; length: number } {
  const seam = Math.round(SEAM_SECONDS * RATE);
  const longest = Math.min(count - seam, MAX_SECONDS * RATE);
  let best = { start: Math.min(seam, Math.max(0, count - longest)), length: longest };
  let least = Infinity;
  for (let start = seam; start + MIN_SECONDS * RATE <= count; start += 2) {
    for (let length = MIN_SECONDS * RATE; length <= longest && start + length < count; length += 2) {
      const end = start + length;
      const apart = [yaw, pitch, roll].reduce((sum, values) => {
        const [here, there] = [values[start]!, values[end]!];
        return sum + (here - there) ** 2 + (here - values[start - 1]! - there + values[end - 1]!) ** 2;
      }, 0);
      // A longer loop repeats less.
      const cost = Math.sqrt(apart) + 0.02 * (1 - length / longest);
      if (cost < least) [best, least] = [{ start, length }, cost];
    }
  }
  return best;
}

function blinksPerMinute(shapes: readonly MouthShape[]): number {
  let blinks = 0;
  for (let i = 1; i < shapes.length; i++) if (shapes[i]!.eyes < CLOSED && shapes[i - 1]!.eyes >= CLOSED) blinks++;
  const minutes = (shapes.at(-1)!.frame.seconds - shapes[0]!.frame.seconds) / 60;
  return Math.min(Math.max(Math.round((10 * blinks) / minutes) / 10, BLINKS.least), BLINKS.most);
}
