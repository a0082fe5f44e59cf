import { SAMPLE_RATE } from '@figurehead/presenter/time';
import type { Pcm } from './audio.js';

/** Loudness of speech from every voice, in LUFS. */
export const SPEECH_LUFS = -18;

/** Ceiling of the true peak of speech and of finished audio, in dBTP. */
export const PEAK_DBTP = -1;

/** Gain factor of a level in decibels. */
export function gainOf(decibels: number): number {
  return 10 ** (decibels / 20);
}

/** A biquad in direct form with a0 = 1. */
interface Biquad {
  readonly b: readonly [number, number, number];
  readonly a: readonly [number, number];
}

// ITU-R BS.1770-4, annex 1, tables 1 and 2: the head's shelf and the revised low-frequency curve, for 48 kHz.
const SHELF: Biquad = {
  b: [1.53512485958697, -2.69169618940638, 1.19839281085285],
  a: [-1.69065929318241, 0.73248077421585],
};
const HIGH_PASS: Biquad = { b: [1, -2, 1], a: [-1.99004745483398, 0.99007225036621] };

const BLOCK = 0.4 * SAMPLE_RATE;
const HOP = BLOCK / 4;
const ABSOLUTE_GATE = -70;
const RELATIVE_GATE = -10;

/**
 * Integrated loudness in LUFS (ITU-R BS.1770-4 with both gates) of one or two channels at 48 kHz; −Infinity for silence.
 * Audio shorter than a 400 ms block is measured as one block of its own length.
 */
export function integratedLoudness(channels: readonly Pcm[]): number {
  const meter = new LoudnessMeter(channels.length);
  meter.add(channels);
  return meter.integrated();
}

/** Measures the loudness of sound that arrives in pieces, like {@link integratedLoudness}. */
export class LoudnessMeter {
  private readonly filters: readonly (readonly [WeighingFilter, WeighingFilter])[];
  /** Energy of each finished hop, summed over channels (both front channels have weight 1). */
  private readonly hops: number[] = [];
  private energy = 0;
  private filled = 0;

  constructor(channels = 1) {
    this.filters = Array.from({ length: channels }, () => [new WeighingFilter(SHELF), new WeighingFilter(HIGH_PASS)]);
  }

  /** Takes the next samples, the same number for every channel. */
  add(channels: readonly Pcm[]): void {
    const length = channels[0]?.length ?? 0;
    for (let at = 0; at < length; ) {
      const end = Math.min(length, at + HOP - this.filled);
      for (const [index, channel] of channels.entries()) {
        const [shelf, highPass] = this.filters[index]!;
        for (let n = at; n < end; n++) {
          const weighted = highPass.next(shelf.next(channel[n]!));
          this.energy += weighted * weighted;
        }
      }
      this.filled += end - at;
      at = end;
      if (this.filled === HOP) {
        this.hops.push(this.energy);
        this.energy = 0;
        this.filled = 0;
      }
    }
  }

  /** Loudness of everything so far in LUFS. */
  integrated(): number {
    const audible = this.blockPowers().filter((power) => loudnessOf(power) > ABSOLUTE_GATE);
    const threshold = loudnessOf(mean(audible)) + RELATIVE_GATE;
    return loudnessOf(mean(audible.filter((power) => loudnessOf(power) > threshold)));
  }

  /** Mean square of each block of four hops, starting at every hop. */
  private blockPowers(): number[] {
    const { hops } = this;
    const samples = hops.length * HOP + this.filled;
    if (samples === 0) return [];
    if (samples < BLOCK) return [(hops.reduce((sum, hop) => sum + hop, 0) + this.energy) / samples];
    const powers: number[] = [];
    for (let n = 0; n + 4 <= hops.length; n++) {
      powers.push((hops[n]! + hops[n + 1]! + hops[n + 2]! + hops[n + 3]!) / BLOCK);
    }
    return powers;
  }
}

/** A stateful biquad (transposed direct form II). */
class WeighingFilter {
  private s1 = 0;
  private s2 = 0;

  constructor(private readonly biquad: Biquad) {}

  next(x: number): number {
    const { a, b } = this.biquad;
    const y = b[0] * x + this.s1;
    this.s1 = b[1] * x - a[0] * y + this.s2;
    this.s2 = b[2] * x - a[1] * y;
    return y;
  }
}

function loudnessOf(power: number): number {
  return -0.691 + 10 * Math.log10(power);
}

function mean(values: readonly number[]): number {
  return values.length === 0 ? 0 : values.reduce((sum, value) => sum + value, 0) / values.length;
}

const OVERSAMPLING = 4;
const TAPS = 12;

/**
 * Interpolation filters for the three points between two samples, windowed sinc (as in BS.1770-4 annex 2), one after
 * the other.
 */
function peakPhases(): Float64Array {
  const phases = new Float64Array((OVERSAMPLING - 1) * TAPS);
  for (let index = 0; index < OVERSAMPLING - 1; index++) {
    const taps = phases.subarray(index * TAPS, (index + 1) * TAPS);
    for (let tap = 0; tap < TAPS; tap++) {
      const x = tap - (TAPS / 2 - 1) - (index + 1) / OVERSAMPLING;
      taps[tap] = (Math.sin(Math.PI * x) / (Math.PI * x)) * (0.5 + 0.5 * Math.cos((Math.PI * x) / (TAPS / 2)));
    }
    const sum = taps.reduce((total, tap) => total + tap, 0);
    for (let tap = 0; tap < TAPS; tap++) taps[tap]! /= sum;
  }
  return phases;
}

/**
 * Largest absolute value at and between samples `n` and `n + 1`, for each `n`; below the threshold only at `n`, which
 * skips the filters in quiet spans.
 */
function peakEnvelope(samples: Pcm, threshold: number): Float32Array {
  const phases = peakPhases();
  const out = new Float32Array(samples.length);
  const last = samples.length - TAPS / 2;
  // Samples beyond the ends are silence; a padded copy avoids a bounds check per tap.
  const window = new Float64Array(TAPS);
  for (let n = 0; n < samples.length; n++) {
    const here = Math.abs(samples[n]!);
    if (here <= threshold) {
      out[n] = here;
      continue;
    }
    const from = n - TAPS / 2 + 1;
    const isInside = from >= 0 && n < last;
    for (let tap = 0; tap < TAPS; tap++) window[tap] = isInside ? samples[from + tap]! : (samples[from + tap] ?? 0);
    out[n] = Math.max(here, loudestBetween(window, phases));
  }
  return out;
}

function loudestBetween(window: Float64Array, phases: Float64Array): number {
  let peak = 0;
  for (let phase = 0; phase < phases.length; phase += TAPS) {
    let a = 0;
    let b = 0;
    for (let tap = 0; tap < TAPS; tap += 2) {
      a += phases[phase + tap]! * window[tap]!;
      b += phases[phase + tap + 1]! * window[tap + 1]!;
    }
    peak = Math.max(peak, Math.abs(a + b));
  }
  return peak;
}

/** Below this level the sample peak is used as the true peak. */
const QUIET_PEAK = 0.25;

/** True peak as a factor of full scale (four times oversampled, BS.1770-4 annex 2). Peaks below 0.25 are sample peaks. */
export function truePeak(samples: Pcm): number {
  return peakEnvelope(samples, QUIET_PEAK).reduce((max, peak) => Math.max(max, peak), 0);
}

const LOOK_AHEAD = 0.004 * SAMPLE_RATE;
const RELEASE_PER_SAMPLE = 1 - Math.exp(-1 / (0.06 * SAMPLE_RATE));

/**
 * The samples with every true peak held under `ceilingDbtp` by a gain that falls within 4 ms before a peak and recovers
 * with a time constant of 60 ms. Returns the input itself when nothing is too loud.
 */
export function limitPeaks(samples: Pcm, ceilingDbtp: number = PEAK_DBTP): Pcm {
  // A margin of a quarter decibel for peaks that four-fold oversampling and the moving gain miss.
  const ceiling = gainOf(ceilingDbtp - 0.25);
  // Peaks between samples are at most about 1.5 × the larger neighbour in speech.
  const peaks = peakEnvelope(samples, ceiling / 2);
  let loudest = 0;
  for (let n = 0; n < peaks.length; n++) loudest = Math.max(loudest, peaks[n]!);
  if (loudest <= ceiling) return samples;

  const needed = new Float32Array(peaks.length);
  for (let n = 0; n < peaks.length; n++) needed[n] = peaks[n]! > ceiling ? ceiling / peaks[n]! : 1;
  const held = slidingMinimum(needed, LOOK_AHEAD);
  const out = new Float32Array(samples.length);
  let recovering = 1;
  let sum = LOOK_AHEAD;
  const ring = new Float32Array(LOOK_AHEAD).fill(1);
  let slot = 0;
  for (let n = -LOOK_AHEAD; n < samples.length; n++) {
    // `held` looks ahead; averaging it over the same span turns its steps into ramps that are complete at the peak.
    const target = n + LOOK_AHEAD < held.length ? held[n + LOOK_AHEAD]! : 1;
    recovering = target < recovering ? target : recovering + (target - recovering) * RELEASE_PER_SAMPLE;
    sum += recovering - ring[slot]!;
    ring[slot] = recovering;
    slot = slot + 1 === LOOK_AHEAD ? 0 : slot + 1;
    if (n >= 0) out[n] = samples[n]! * Math.min(1, sum / LOOK_AHEAD);
  }
  return out;
}

/** Pieces of {@link limitInPieces}, in samples. */
const PIECE = 10 * SAMPLE_RATE;
/** The limiter's memory (60 ms release) has decayed after this. */
const WARM_UP = SAMPLE_RATE;
const SEEN_AHEAD = 0.1 * SAMPLE_RATE;

/**
 * As {@link limitPeaks} for long sound, in pieces of ten seconds: each is limited together with its surroundings, so
 * that the gain is the same on both sides of a seam.
 * @param read returns samples `from` … `to` of the sound; the buffer may be modified.
 */
export async function* limitInPieces(
  length: number,
  read: (from: number, to: number) => Pcm | Promise<Pcm>,
): AsyncGenerator<Pcm> {
  for (let from = 0; from < length; from += PIECE) {
    const to = Math.min(length, from + PIECE);
    const [begin, end] = [Math.max(0, from - WARM_UP), Math.min(length, to + SEEN_AHEAD)];
    yield limitPeaks(await read(begin, end)).slice(from - begin, to - begin);
  }
}

/** `out[n]` is the least of `values[n − span − 1 … n]`. */
function slidingMinimum(values: Float32Array, span: number): Float32Array {
  const out = new Float32Array(values.length).fill(1);
  const queue = new Int32Array(values.length);
  let head = 0;
  let tail = 0;
  for (let n = 0; n < values.length; n++) {
    while (tail > head && values[queue[tail - 1]!]! >= values[n]!) tail--;
    queue[tail++] = n;
    if (queue[head]! <= n - span - 2) head++;
    out[n] = values[queue[head]!]!;
  }
  return out;
}
