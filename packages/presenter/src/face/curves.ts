import { CONSONANT_SHAPES, type ConsonantShape, type MouthPose } from './contract.js';
import { clamp, ms, smoothstep } from './easing.js';
import { loudnessAt, type MouthPart, presence } from './movement.js';

/** Samples between two points of a curve (5 ms). Poses between them are interpolated. */
export const HOP = ms(5);
/** Additional points at both ends of a block; more than the reach of the speed limit (1 / SPEED). */
export const MARGIN = 40;
/** Maximum change of the visible gap per point ({@link gapOf}): 0.3 of the widest open mouth's in a 40 ms frame. */
const SPEED = (0.3 * HOP) / ms(40);
/** The same beside p, b and m, whose lips are faster than the jaw, and how far from their contact. */
const LIP_SPEED = (0.42 * HOP) / ms(40);
const LIP_REACH = ms(60);
/** Maximum change of the lips' width per point: its range is 2, and lips round more slowly than the jaw moves. */
const WIDTH_SPEED = 1.5 * SPEED;
/** Maximum change of a consonant's weight per point. */
const SHAPE_SPEED = 0.5 * SPEED;
/** Gap between the lips that the pictures of consonants show, as a share of the widest open mouth's, as measured in the packs. */
export const SHAPE_GAPS: Readonly<Record<ConsonantShape, number>> = {
  PP: 0,
  FF: 0.28,
  TH: 0.52,
  DD: 0.34,
  nn: 0.37,
  SS: 0.25,
  CH: 0.39,
  RR: 0.3,
};
/** The same for an opening of the jaw, which parts closed lips faster than it opens them further; and the opening for a gap. */
const BEND = 0.35;
const gapOfJaw = (open: number): number => open * (1 + BEND - BEND * open);
const jawOfGap = (gap: number): number => (1 + BEND - Math.sqrt((1 + BEND) ** 2 - 4 * BEND * gap)) / (2 * BEND);

/** Gap between the lips, 0…1: that of the consonants' pictures and, where they leave it free, the jaw's. */
export function gapOf({ open, consonants }: Pick<MouthPose, 'open' | 'consonants'>): number {
  let [gap, free] = [0, 1];
  for (const shape of CONSONANT_SHAPES) {
    const weight = consonants[shape] ?? 0;
    gap += weight * SHAPE_GAPS[shape];
    free -= weight;
  }
  return gap + free * gapOfJaw(open);
}

/** Weight of the neutral mouth against one fully dominant sound. */
const REST_WEIGHT = 0.05;
/**
 * The lips lead the sound, because viewers accept early lips but notice late ones. A goal is reached before its sound
 * begins, so that, with the flanks, the opening leads the voice by 10 to 30 ms in their correlation.
 */
const APEX_LEAD = ms(12);
/** Share of its duration for which a sound holds its goal. */
const HELD = 0.85;
/** Lead of features at the middle of a sound: pictures of consonants, limits, openings. */
const MIDDLE_LEAD = ms(5);
/** Loudness of an ordinary vowel. */
const TYPICAL_LOUDNESS = 0.85;
/** Look-ahead of the jaw in the loudness curve. */
const VOICE_LEAD = ms(25);
/** Lead of closures, smaller because their time is clearly audible. */
const CONTACT_LEAD = ms(8);
/** Half of the shortest closure: 44 ms are always visible in at least one frame of 40 ms. */
const CONTACT_HALF = ms(22);
/** Times in which a contact's picture and others come and go. Lips that close slowly would hide a short vowel before them. */
const CONTACT_FLANK = ms(30);
const SHAPE_FLANK = ms(60);
/** Reach of {@link roundCorners}. */
const CORNER = ms(10);
/** Share of the jaw in the gap beside consonants, below which a lower jaw would no longer show. */
const MIN_FREE = 0.2;
/** Minimum jaw opening at which the lips are visibly parted. */
const OPEN_FLOOR = { vowel: 0.2, consonant: 0.08 } as const;
const SHAPES = CONSONANT_SHAPES.length;

/** Sampling grid of curves: `points` points, {@link HOP} apart, starting at number `first`. */
interface Grid {
  readonly first: number;
  readonly points: number;
}

/** Curves of the mouth over one block; `weights` has one row of points for each consonant shape. */
export interface Block {
  readonly open: Float32Array;
  readonly width: Float32Array;
  readonly weights: readonly Float32Array[];
}

/** Curves over `points` grid points from grid point `first`, without the margins at both ends. */
export function drawBlock(parts: readonly MouthPart[], grid: Grid, jaw: number): Block {
  const { points } = grid;
  const { open, width } = blend(parts, grid, jaw);
  const weights = consonantCurves(parts, grid);
  applyOpenings(parts, grid, open);
  applyLimits(parts, grid, open);
  settleWeights(weights);
  limitGap(open, weights, speedLimits(parts, grid));
  roundCorners(open);
  smoothWidth(width, open);
  const cut = (curve: Float64Array): Float32Array => Float32Array.from(curve.subarray(MARGIN, points - MARGIN));
  return { open: cut(open), width: cut(width), weights: weights.map(cut) };
}

/** Calls `visit` with each grid index between two samples and its sample. */
function eachPoint(grid: Grid, from: number, to: number, visit: (index: number, sample: number) => void): void {
  const low = Math.max(0, Math.ceil(from / HOP) - grid.first);
  const high = Math.min(grid.points - 1, Math.floor(to / HOP) - grid.first);
  for (let i = low; i <= high; i++) visit(i, (grid.first + i) * HOP);
}

/**
 * Dominance-weighted mean of all goals. Each is a bump with its apex at the start, held for most of its duration. The cube
 * emphasises the middle of a bump over its flanks.
 */
function blend(parts: readonly MouthPart[], grid: Grid, jaw: number) {
  const { points } = grid;
  const open = new Float64Array(points);
  const width = new Float64Array(points);
  const jawSum = new Float64Array(points).fill(REST_WEIGHT);
  const lipSum = new Float64Array(points).fill(REST_WEIGHT);
  for (const part of parts) {
    const start = part.start - APEX_LEAD;
    const hold = start + HELD * (part.end - part.start);
    eachPoint(grid, start - part.rise, hold + part.fall, (i, sample) => {
      const bump = smoothstep(start - part.rise, start, sample) * (1 - smoothstep(hold, hold + part.fall, sample));
      const weight = bump * bump * bump * presence(part.lifetime, sample);
      const insistence = weight * part.articulation.jaw;
      const lips = weight * part.articulation.lips;
      // Uses the loudness of the sound itself, also where its bump extends into its neighbours or a short pause.
      const heard = clamp(sample + VOICE_LEAD, part.start, part.soundEnd);
      const loud = loudnessAt(part.voice, heard) ?? TYPICAL_LOUDNESS;
      open[i] = (open[i] ?? 0) + (insistence * part.open * loud) / TYPICAL_LOUDNESS;
      jawSum[i] = (jawSum[i] ?? 0) + insistence;
      width[i] = (width[i] ?? 0) + lips * part.articulation.width;
      lipSum[i] = (lipSum[i] ?? 0) + lips;
    });
  }
  for (let i = 0; i < points; i++) {
    open[i] = Math.min(1, (jaw * (open[i] ?? 0)) / (jawSum[i] ?? 1));
    width[i] = (width[i] ?? 0) / (lipSum[i] ?? 1);
  }
  return { open, width };
}

/** Span in which the lips, or lip and teeth, must touch. */
function contactSpan(part: MouthPart, next: MouthPart | undefined): { from: number; to: number } {
  const middle = (part.start + part.end) / 2 - CONTACT_LEAD;
  const half = Math.max(CONTACT_HALF, (part.end - part.start) / 2 - ms(22));
  // "lamppost": two consecutive closures stay closed in between.
  const joins =
    next !== undefined && next.articulation.contact === part.articulation.contact && next.start - part.end < ms(1);
  return { from: middle - half, to: joins ? (next.start + next.end) / 2 : middle + half };
}

/** Weights of the consonants' own pictures before they compete. */
function consonantCurves(parts: readonly MouthPart[], grid: Grid): Float64Array[] {
  const weights = Array.from({ length: SHAPES }, () => new Float64Array(grid.points));
  for (const [k, part] of parts.entries()) {
    const { shape, contact } = part.articulation;
    if (shape === undefined) continue;
    const curve = weights[CONSONANT_SHAPES.indexOf(shape.name)];
    if (curve === undefined) continue;
    const middle = (part.start + part.end) / 2 - MIDDLE_LEAD;
    const quarter = (part.end - part.start) / 4;
    const span =
      contact === undefined ? { from: middle - quarter, to: middle + quarter } : contactSpan(part, parts[k + 1]);
    const flank = contact === undefined ? SHAPE_FLANK : CONTACT_FLANK;
    eachPoint(grid, span.from - flank, span.to + flank, (i, sample) => {
      const rise = smoothstep(span.from - flank, span.from, sample);
      const fall = 1 - smoothstep(span.to, span.to + flank, sample);
      const weight = shape.weight * rise * fall * presence(part.lifetime, sample);
      curve[i] = Math.max(curve[i] ?? 0, weight);
    });
  }
  return weights;
}

/** Parts the lips at least once during each open sound. */
function applyOpenings(parts: readonly MouthPart[], grid: Grid, open: Float64Array): void {
  for (const part of parts) {
    const { kind, contact, viseme } = part.articulation;
    if ((kind !== 'vowel' && kind !== 'consonant') || contact !== undefined || viseme === 'PP') continue;
    const from = part.start - MIDDLE_LEAD;
    const to = from + (part.end - part.start);
    eachPoint(grid, from, to, (i, sample) => {
      const floor = OPEN_FLOOR[kind] * presence(part.lifetime, sample);
      open[i] = Math.max(open[i] ?? 0, floor);
    });
  }
}

/** Limits the jaw in closures, sibilants and pauses; overrides all other goals. */
function applyLimits(parts: readonly MouthPart[], grid: Grid, open: Float64Array): void {
  for (const [k, part] of parts.entries()) {
    const { contact, jawLimit, kind } = part.articulation;
    const own = jawLimit !== undefined && kind === 'vowel' ? part.open : jawLimit;
    const limit = contact === 'shut' || kind === 'silence' ? 0 : contact === 'tuck' ? 0.1 : own;
    if (limit === undefined) continue;
    const lead = MIDDLE_LEAD;
    const span =
      contact === undefined ? { from: part.start - lead, to: part.end - lead } : contactSpan(part, parts[k + 1]);
    const { from, to } = kind === 'silence' ? { from: part.start, to: part.end } : span;
    eachPoint(grid, from - CORNER, to + CORNER, (i, sample) => {
      // Ignores speech that was interrupted or is not known yet.
      const allowed = limit + (1 - limit) * (1 - presence(part.lifetime, sample));
      open[i] = Math.min(open[i] ?? 0, allowed);
    });
  }
}

/** Largest curve below `curve` that changes by at most a step per point: lowers peaks and keeps valleys (closures). */
function limitSpeed(curve: Float64Array, step: number | Float64Array): void {
  const stepAt = typeof step === 'number' ? () => step : (i: number) => step[i]!;
  for (let i = 1; i < curve.length; i++) curve[i] = Math.min(curve[i]!, curve[i - 1]! + stepAt(i));
  for (let i = curve.length - 2; i >= 0; i--) curve[i] = Math.min(curve[i]!, curve[i + 1]! + stepAt(i));
}

/** Maximum change of the gap at each point. */
function speedLimits(parts: readonly MouthPart[], grid: Grid): Float64Array {
  const steps = new Float64Array(grid.points).fill(SPEED);
  for (const [k, part] of parts.entries()) {
    if (part.articulation.contact !== 'shut') continue;
    const { from, to } = contactSpan(part, parts[k + 1]);
    eachPoint(grid, from - LIP_REACH, to + LIP_REACH, (i) => {
      steps[i] = LIP_SPEED;
    });
  }
  return steps;
}

/**
 * Lowers the jaw where the lips would part or close faster than people's: jaw and consonants together, because a frame
 * shows both at once.
 */
function limitGap(open: Float64Array, weights: readonly Float64Array[], steps: Float64Array): void {
  const gap = new Float64Array(open.length);
  const free = new Float64Array(open.length).fill(1);
  for (const [k, curve] of weights.entries()) {
    const shown = SHAPE_GAPS[CONSONANT_SHAPES[k]!];
    for (const [i, weight] of curve.entries()) {
      gap[i] = gap[i]! + weight * shown;
      free[i] = free[i]! - weight;
    }
  }
  for (const [i, jaw] of open.entries()) gap[i] = gap[i]! + free[i]! * gapOfJaw(jaw);
  const allowed = Float64Array.from(gap);
  limitSpeed(allowed, steps);
  for (const [i, jaw] of open.entries()) {
    const surplus = gap[i]! - allowed[i]!;
    gap[i] = Math.max(0, gapOfJaw(jaw) - Math.max(0, surplus) / Math.max(free[i]!, MIN_FREE));
  }
  limitSpeed(gap, steps);
  for (const [i, own] of gap.entries()) open[i] = jawOfGap(own);
}

/** Smooths the corners of a curve whose closures were widened by {@link CORNER} before. */
function roundCorners(curve: Float64Array): void {
  const source = Float64Array.from(curve);
  const kernel = [0.25, 0.21, 0.125, 0.04];
  for (let i = 0; i < curve.length; i++) {
    let sum = 0;
    for (let k = -3; k <= 3; k++) {
      sum += (kernel[Math.abs(k)] ?? 0) * (source[clamp(i + k, 0, curve.length - 1)] ?? 0);
    }
    curve[i] = sum;
  }
}

/** Limits the lips' speed in both directions, and their rounding while shut, because rounded lips of the pack do not quite touch. */
function smoothWidth(width: Float64Array, open: Float64Array): void {
  for (let i = 0; i < width.length; i++) {
    const roundest = -0.12 - 9 * (open[i] ?? 0);
    width[i] = clamp(width[i] ?? 0, Math.max(-1, roundest), 1);
  }
  const upper = Float64Array.from(width);
  limitSpeed(upper, WIDTH_SPEED);
  for (let i = 0; i < width.length; i++) width[i] = -(width[i] ?? 0);
  limitSpeed(width, WIDTH_SPEED);
  // Mean of the largest speed-limited curve below and the smallest above: also limited, without bias to either side.
  for (let i = 0; i < width.length; i++) width[i] = ((upper[i] ?? 0) - (width[i] ?? 0)) / 2;
}

/** Contacts get their weight first, other shapes share the rest; sums stay ≤ 1. */
function settleWeights(weights: readonly Float64Array[]): void {
  const press = weights[CONSONANT_SHAPES.indexOf('PP')];
  const tuck = weights[CONSONANT_SHAPES.indexOf('FF')];
  const others = weights.filter((curve) => curve !== press && curve !== tuck);
  const points = press?.length ?? 0;
  for (let i = 0; i < points; i++) {
    let left = 1 - (press?.[i] ?? 0);
    if (tuck !== undefined) tuck[i] = Math.min(tuck[i] ?? 0, left);
    left -= tuck?.[i] ?? 0;
    let sum = 0;
    for (const curve of others) sum += curve[i] ?? 0;
    const scale = sum > left ? left / sum : 1;
    if (scale < 1) for (const curve of others) curve[i] = (curve[i] ?? 0) * scale;
  }
  // Last, because other weights would otherwise grow as fast as a closure releases. Sums only become smaller.
  for (const curve of others) limitSpeed(curve, SHAPE_SPEED);
}
