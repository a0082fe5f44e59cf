import { SAMPLE_RATE } from '@figurehead/presenter/time';
import type { Pcm } from '../../audio.js';
import { resampled } from '../resample.js';

/** Samples between two values of a pitch track: 10 ms. */
export const PITCH_HOP = SAMPLE_RATE / 100;

const RATE = 8000;
const WINDOW = 0.03 * RATE;
/** Lowest and highest pitch of a voice, Hz. */
const [LOWEST, HIGHEST] = [60, 400];

/** Minimum correlation of two periods in a voiced frame, and how close to the best correlation the shortest period must be. */
const VOICED = 0.6;
const NEARLY_BEST = 0.92;
/** Power below which a frame is silent. */
const SILENT = 2e-5;

/**
 * Pitch period in samples, one value every {@link PITCH_HOP} samples from sample 0; 0 for unvoiced frames. By normalised autocorrelation
 * (Boersma 1993); frames that differ by an octave from the utterance's median count as unvoiced.
 */
export function periodsOf(samples: Pcm): Float32Array {
  const audio = resampled(samples, SAMPLE_RATE, RATE);
  const energy = energySums(audio);
  const hop = (PITCH_HOP * RATE) / SAMPLE_RATE;
  const periods = new Float32Array(Math.ceil(samples.length / PITCH_HOP)).map((_, frame) => {
    const lag = bestLag(audio, energy, Math.round(frame * hop));
    return (lag * SAMPLE_RATE) / RATE;
  });
  const voiced = periods.filter((period) => period > 0).sort();
  const median = voiced[voiced.length >> 1] ?? 0;
  return periods.map((period) => (period > median / 1.7 && period < median * 1.7 ? period : 0));
}

/** Energy of the sound before each sample. */
function energySums(audio: Float32Array): Float64Array {
  const sums = new Float64Array(audio.length + 1);
  for (let n = 0; n < audio.length; n++) sums[n + 1] = sums[n]! + audio[n]! ** 2;
  return sums;
}

/** Lag at which the sound around `centre` repeats, in (fractional) samples of the coarse rate; 0 for none. */
function bestLag(audio: Float32Array, energy: Float64Array, centre: number): number {
  const shortest = Math.floor(RATE / HIGHEST);
  const longest = Math.ceil(RATE / LOWEST);
  const scores = new Float32Array(longest + 2);
  let best = 0;
  for (let lag = shortest; lag <= longest; lag++) {
    const from = centre - ((WINDOW + lag) >> 1);
    const here = energyOf(energy, from);
    if (here / WINDOW <= SILENT) continue;
    let product = 0;
    const end = Math.min(from + WINDOW, audio.length - lag);
    for (let n = Math.max(0, from); n < end; n++) product += audio[n]! * audio[n + lag]!;
    scores[lag] = product / Math.sqrt(here * energyOf(energy, from + lag));
    best = Math.max(best, scores[lag] ?? 0);
  }
  if (best < VOICED) return 0;
  for (let lag = shortest + 1; lag < longest; lag++) {
    const [before, here, after] = [scores[lag - 1] ?? 0, scores[lag] ?? 0, scores[lag + 1] ?? 0];
    if (here < NEARLY_BEST * best || here < before || here < after) continue;
    const bend = before - 2 * here + after;
    return bend === 0 ? lag : lag + (before - after) / (2 * bend);
  }
  return 0;
}

/** Energy of the window from a sample on, never 0; outside of the sound is silence. */
function energyOf(sums: Float64Array, from: number): number {
  const last = sums.length - 1;
  const upTo = (at: number): number => sums[Math.min(last, Math.max(0, at))]!;
  return upTo(from + WINDOW) - upTo(from) + 1e-9;
}
