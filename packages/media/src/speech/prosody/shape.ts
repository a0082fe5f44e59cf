import { concatPcm, type Pcm, silence } from '../../audio.js';
import { limitPeaks } from '../../loudness.js';
import { raisedCosine } from '../engines/master.js';
import type { SpokenSentence } from '../engines/spoken-sentence.js';
import type { Prosody } from '../text/piece.js';
import { PITCH_HOP, periodsOf } from './pitch.js';

/** Change of a part of a sentence: factors at its start and end, interpolated geometrically in between. */
export interface Shape extends Omit<Prosody, 'pitch'> {
  readonly from: number;
  readonly to: number;
  readonly pitch: readonly [first: number, last: number];
}

/** Distance of pitch marks in unvoiced parts, samples. */
const UNVOICED_STEP = 240;

/** Search range for a pitch mark, as a share of the period. */
const SEARCH = 0.2;

/** Samples over which a changed part is faded in from the sound that it replaces, and out to it. */
const SEAM = 240;

/** A pitch mark and its distance to the next one. */
interface Mark {
  readonly at: number;
  readonly period: number;
  readonly isVoiced: boolean;
}

/** Applies the prosody of the tokens; returns the sentence itself when there is none. */
export function withProsody(
  spoken: SpokenSentence,
  prosody: readonly (Prosody | undefined)[] | undefined,
): SpokenSentence {
  if (prosody === undefined) return spoken;
  const shapes: Shape[] = [];
  for (const [token, own] of prosody.entries()) {
    if (own === undefined) continue;
    const phones = spoken.phones.filter((phone) => phone.token === token);
    const [first, last] = [phones[0], phones.at(-1)];
    if (!first || !last) continue;
    const before = shapes.at(-1);
    const isSame = before !== undefined && prosody[token - 1] === own;
    if (isSame) shapes[shapes.length - 1] = { ...before, to: last.end };
    else shapes.push({ ...own, pitch: [own.pitch, own.pitch], from: first.start, to: last.end });
  }
  return shaped(spoken, shapes);
}

/**
 * Changes pitch, pitch range, rate and loudness of parts of a sentence by pitch-synchronous overlap-add (TD-PSOLA: Moulines & Charpentier 1990).
 * Other samples stay identical. `shapes` are in order and do not overlap.
 */
export function shaped(spoken: SpokenSentence, shapes: readonly Shape[]): SpokenSentence {
  if (shapes.length === 0 || spoken.samples.length === 0) return spoken;
  const periods = periodsAround(spoken.samples, shapes);
  const mean = meanPeriod(periods);
  const parts: Pcm[] = [];
  /** Piecewise linear map from old to new sample positions. */
  const knots: [before: number, after: number][] = [[0, 0]];
  let at = 0;
  let length = 0;
  for (const shape of shapes) {
    const [from, to] = [Math.max(at, shape.from), Math.min(spoken.samples.length, shape.to)];
    if (to - from < 2 * SEAM) continue;
    const kept = spoken.samples.subarray(at, from);
    // Limits only the changed part: the rest is already limited, and its first words may have been sent.
    const part = limitPeaks(reshape(spoken.samples, { ...shape, from, to }, { periods, mean }));
    blendEnds(part, spoken.samples.subarray(from, to));
    parts.push(kept, part);
    length += kept.length;
    knots.push([from, length]);
    length += part.length;
    knots.push([to, length]);
    at = to;
  }
  const rest = spoken.samples.subarray(at);
  parts.push(rest);
  knots.push([spoken.samples.length, length + rest.length]);
  const samples = concatPcm(parts);
  const moved = (sample: number): number => Math.min(samples.length, movedBy(knots, sample));
  const phones = spoken.phones
    .map((phone) => ({ ...phone, start: moved(phone.start), end: moved(phone.end) }))
    .filter(({ start, end }) => end > start);
  return { samples, phones };
}

/** Samples before a part that are used to find its periods. */
const CONTEXT = 50 * PITCH_HOP;

/** Computes periods only where needed: for the whole sentence only when a change of range needs its mean. Other frames count as unvoiced. */
function periodsAround(samples: Pcm, shapes: readonly Shape[]): Float32Array {
  const first = shapes.some(({ range }) => range !== 1) ? 0 : Math.max(0, (shapes[0]?.from ?? 0) - CONTEXT);
  const frame = Math.floor(first / PITCH_HOP);
  const to = Math.max(...shapes.map((shape) => shape.to)) + 2 * PITCH_HOP;
  const periods = new Float32Array(Math.ceil(samples.length / PITCH_HOP));
  periods.set(periodsOf(samples.subarray(frame * PITCH_HOP, to)), frame);
  return periods;
}

function reshape(
  samples: Pcm,
  shape: Shape,
  { periods, mean }: { readonly periods: Float32Array; readonly mean: number },
): Pcm {
  const { from, to, rate } = shape;
  const span = to - from;
  const marks = marksOf(samples, periods, { from: Math.max(0, from - 2 * UNVOICED_STEP), to });
  const out = silence(Math.round(span / rate));
  const weights = new Float32Array(out.length);
  const pitchAt = (at: number, period: number): number => {
    const [first, last] = shape.pitch;
    const moved = first * (last / first) ** Math.min(1, Math.max(0, (at - from) / span));
    return moved * (mean / period) ** (shape.range - 1);
  };
  // The first period keeps its place, so that it continues the sound before it.
  let index = Math.max(
    0,
    marks.findLastIndex(({ at }) => at <= from),
  );
  for (let place = (marks[index]?.at ?? from) - from; place < out.length + UNVOICED_STEP; ) {
    const source = from + place * rate;
    while (index + 1 < marks.length && Math.abs(marks[index + 1]!.at - source) <= Math.abs(marks[index]!.at - source))
      index++;
    const mark = marks[index];
    if (mark === undefined) break;
    addGrain(samples, mark, { out, weights, place: Math.round(place) });
    const step = mark.isVoiced
      ? mark.period / Math.min(2.5, Math.max(0.4, pitchAt(mark.at, mark.period)))
      : UNVOICED_STEP;
    place += step;
  }
  for (let n = 0; n < out.length; n++) out[n]! /= Math.max(0.5, weights[n]!);
  // Restores the level, because denser grains partly cancel each other and sparser ones leave gaps.
  const gain = (shape.volume * levelOf(samples.subarray(from, to))) / levelOf(out);
  for (let n = 0; n < out.length; n++) out[n]! *= gain;
  return out;
}

function levelOf(samples: Pcm): number {
  return Math.sqrt(samples.reduce((sum, sample) => sum + sample * sample, 1e-9) / Math.max(1, samples.length));
}

/** Two periods of the sound around a mark, faded in and out. */
function addGrain(
  samples: Pcm,
  { at, period }: Mark,
  { out, weights, place }: { readonly out: Pcm; readonly weights: Float32Array; readonly place: number },
): void {
  const half = Math.round(period);
  for (let n = -half; n < half; n++) {
    const to = place + n;
    if (to < 0 || to >= out.length) continue;
    const weight = 0.5 + 0.5 * Math.cos((Math.PI * n) / half);
    out[to]! += weight * (samples[Math.round(at) + n] ?? 0);
    weights[to]! += weight;
  }
}

/** Pitch marks about one period apart, each where the sound most resembles the previous mark. */
function marksOf(
  samples: Pcm,
  periods: Float32Array,
  { from, to }: { readonly from: number; readonly to: number },
): Mark[] {
  const marks: Mark[] = [];
  for (let at = from; at < to + UNVOICED_STEP; ) {
    const period = periods[Math.min(periods.length - 1, Math.round(at / PITCH_HOP))] ?? 0;
    const isVoiced = period > 0;
    const before = marks.at(-1);
    let place = at;
    if (isVoiced) {
      place = before?.isVoiced === true ? likest(samples, before.at, at, period) : loudest(samples, at, period);
    }
    if (before !== undefined && place <= before.at) place = before.at + UNVOICED_STEP / 2;
    marks.push({ at: place, period: isVoiced ? period : UNVOICED_STEP, isVoiced });
    at = place + (isVoiced ? period : UNVOICED_STEP);
  }
  return marks;
}

function loudest(samples: Pcm, at: number, period: number): number {
  let best = at;
  for (let n = Math.round(at - period / 2); n < at + period / 2; n++) {
    if (Math.abs(samples[n] ?? 0) > Math.abs(samples[Math.round(best)] ?? 0)) best = n;
  }
  return best;
}

/** The position near `expected` whose surrounding period most resembles the one around `mark`. */
function likest(samples: Pcm, mark: number, expected: number, period: number): number {
  const half = Math.round(period / 2);
  const score = (place: number): number => {
    let product = 0;
    let energy = 1e-9;
    for (let n = -half; n < half; n += 2) {
      const there = samples[place + n] ?? 0;
      product += (samples[Math.round(mark) + n] ?? 0) * there;
      energy += there * there;
    }
    return product / Math.sqrt(energy);
  };
  const reach = Math.round(SEARCH * period);
  let best = Math.round(expected);
  let bestScore = score(best);
  for (const step of [6, 1]) {
    const around = best;
    for (let place = around - (step === 6 ? reach : 6); place <= around + (step === 6 ? reach : 6); place += step) {
      const here = score(place);
      if (here > bestScore) [best, bestScore] = [place, here];
    }
  }
  return best;
}

function meanPeriod(periods: Float32Array): number {
  const voiced = [...periods].filter((period) => period > 0);
  if (voiced.length === 0) return UNVOICED_STEP;
  return Math.exp(voiced.reduce((sum, period) => sum + Math.log(period), 0) / voiced.length);
}

/** Fades a part in from the sound that it replaces and out to it: a jump would be heard as a click. */
function blendEnds(part: Pcm, replaced: Pcm): void {
  const span = Math.min(SEAM, part.length >> 1);
  for (let n = 0; n < span; n++) {
    const own = raisedCosine(n / span);
    part[n] = own * part[n]! + (1 - own) * replaced[n]!;
    const last = part.length - 1 - n;
    part[last] = own * part[last]! + (1 - own) * replaced[replaced.length - 1 - n]!;
  }
}

function movedBy(knots: readonly (readonly [number, number])[], sample: number): number {
  const last = knots.findIndex(([before], index) => index > 0 && before >= sample);
  const [[x0, y0], [x1, y1]] = [knots[last - 1] ?? [0, 0], knots[last] ?? knots.at(-1)!];
  return Math.round(x1 === x0 ? y1 : y0 + ((sample - x0) * (y1 - y0)) / (x1 - x0));
}
