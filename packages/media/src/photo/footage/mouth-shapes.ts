import type { MeshPoint } from '../shaping/mesh.js';
import { distance, eyesApart, medianOf, quantileOf, refusal, type TrackedFrame } from './tracking.js';

/** A frame with the shape of its mouth. */
export interface MouthShape {
  readonly frame: TrackedFrame;
  /** 0 closed … 1 as wide as this person opens the mouth. */
  readonly open: number;
  /** −1 rounded … 0 as at rest … 1 spread. */
  readonly width: number;
  /** Height of the lips from rim to rim without the opening, 1 at rest; less where they are pressed or drawn in. */
  readonly upperLip: number;
  readonly lowerLip: number;
  /** Opening of the eyes, 1 as usual, 0 closed. */
  readonly eyes: number;
  /** Movement of the lips since the last frame, in distances of the eyes: a moving mouth is blurred. */
  readonly speed: number;
}

/** Range of openings without which a person does not speak, in distances of the eyes. */
const LEAST_RANGE = 0.045;

/** Share of the frames that count as the extremes of a person. */
const EXTREME = 0.015;

/** Least difference of the mouth's width from rest that counts as rounded or spread, in distances of the eyes. */
const LEAST_WIDENING = 0.02;

/** Points above and below the gap between the lips. */
const GAP = [
  [13, 14],
  [82, 87],
  [312, 317],
] as const;

/** Lips, whose movement is measured. */
const LIPS = [61, 291, 0, 17, 13, 14, 37, 267, 84, 314];

/**
 * Measures the mouth of each frame on the scale of its person.
 * @throws PortraitRefused if the mouth hardly moves.
 */
export function measureShapes(frames: readonly TrackedFrame[]): readonly MouthShape[] {
  const raw = frames.map(({ points }) => measured(points));
  const opens = raw.map(({ open }) => open);
  const [closed, wide] = [quantileOf(opens, 0.05), quantileOf(opens, 1 - EXTREME)];
  if (wide - closed < LEAST_RANGE) {
    throw refusal('The mouth hardly moves; the film must show a person who speaks', frames[0]?.seconds ?? 0);
  }
  const openOf = (open: number): number => (open - closed) / (wide - closed);
  const shut = raw.filter(({ open }) => openOf(open) < 0.1);
  const rest = {
    width: medianOf(shut.map(({ width }) => width)),
    upper: medianOf(shut.map(({ upper }) => upper)),
    lower: medianOf(shut.map(({ lower }) => lower)),
    eyes: medianOf(raw.map(({ eyes }) => eyes)),
  };
  const widths = raw.map(({ width }) => width);
  const spread = Math.max(LEAST_WIDENING, quantileOf(widths, 1 - EXTREME) - rest.width);
  const rounded = Math.max(LEAST_WIDENING, rest.width - quantileOf(widths, EXTREME));
  return raw.map(({ open, width, upper, lower, eyes }, i) => ({
    frame: frames[i]!,
    open: openOf(open),
    width: (width - rest.width) / (width > rest.width ? spread : rounded),
    upperLip: upper / rest.upper,
    lowerLip: lower / rest.lower,
    eyes: eyes / rest.eyes,
    speed: Math.max(speedOf(frames, i), speedOf(frames, i + 1)),
  }));
}

function measured(points: readonly MeshPoint[]): Record<'open' | 'width' | 'upper' | 'lower' | 'eyes', number> {
  const unit = eyesApart(points);
  const between = (a: number, b: number): number => distance(points[a]!, points[b]!) / unit;
  return {
    open: GAP.reduce((sum, [a, b]) => sum + between(a, b), 0) / GAP.length,
    width: between(61, 291),
    upper: between(0, 13),
    lower: between(14, 17),
    eyes: (between(159, 145) + between(386, 374)) / 2,
  };
}

/** Mean movement of the lips against the nose between frame `i` and the one before it. */
function speedOf(frames: readonly TrackedFrame[], i: number): number {
  const [now, before] = [frames[i]?.points, frames[i - 1]?.points];
  if (now === undefined || before === undefined) return 0;
  const moved = LIPS.map((k) => Math.hypot(now[k]!.x - before[k]!.x, now[k]!.y - before[k]!.y));
  return moved.reduce((sum, value) => sum + value, 0) / moved.length / eyesApart(now);
}
