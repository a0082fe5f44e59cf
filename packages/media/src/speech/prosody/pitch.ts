import type { Pcm } from '../../audio.js';
import { SAMPLE_RATE } from '../../time.js';
import { Resampler } from '../resample.js';

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
  const audio = new Resampler(SAMPLE_RATE, RATE).process(samples);
  const hop = (PITCH_HOP * RATE) / SAMPLE_RATE;
  const periods = Float32Array.from({ length: Math.ceil(samples.length / PITCH_HOP) }, (_, frame) => {
    const lag = bestLag(audio, Math.round(frame * hop));
    return (lag * SAMPLE_RATE) / RATE;
  });
  const voiced = periods.filter((period) => period > 0).sort();
  const median = voiced[voiced.length >> 1] ?? 0;
  return periods.map((period) => (period > median / 1.7 && period < median * 1.7 ? period : 0));
}

/** Lag at which the sound around `centre` repeats, in (fractional) samples of the coarse rate; 0 for none. */
function bestLag(audio: Float32Array, centre: number): number {
  const shortest = Math.floor(RATE / HIGHEST);
  const longest = Math.ceil(RATE / LOWEST);
  const scores = new Float32Array(longest + 2);
  let best = 0;
  for (let lag = shortest; lag <= longest; lag++) {
    const from = centre - ((WINDOW + lag) >> 1);
    let product = 0;
    let here = 1e-9;
    let there = 1e-9;
    for (let n = from; n < from + WINDOW; n++) {
      const [a, b] = [audio[n] ?? 0, audio[n + lag] ?? 0];
      product += a * b;
      here += a * a;
      there += b * b;
    }
    scores[lag] = here / WINDOW > SILENT ? product / Math.sqrt(here * there) : 0;
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
