import type { Pcm } from '../../audio.js';
import { SAMPLE_RATE } from '../../time.js';
import { Resampler } from '../resample.js';

const RATE = 16_000;
const WINDOW = 400;
const FFT = 512;
const BANDS = 26;
const CEPSTRA = 12;

/** Samples at 48 kHz between two frames: 10 ms. */
export const FRAME_HOP = 480;

/** Values of a frame: cepstra 1 to 12, their slopes, and the level. */
const FRAME_SIZE = 2 * CEPSTRA + 1;

/** Liftering exponent: higher orders are smaller but also distinguish sounds; a larger exponent would distinguish voices too. */
const LIFTER = 1.5;

/** Weight of the level against the cepstra: enough to align pauses, too little to override the sounds. */
const LEVEL_WEIGHT = 0.5;

/** Weight of the slopes: half of a cepstrum's in the square of the distance. */
const SLOPE_WEIGHT = 0.35;

/** Power of the bins of one frame's transform, 0 to half the rate. */
export type Spectrum = Float32Array;

/** Short-time spectra of 48 kHz speech, one every {@link FRAME_HOP} samples. */
export function spectra(samples: Pcm): Spectrum[] {
  const audio = new Resampler(SAMPLE_RATE, RATE).process(samples);
  const hop = (FRAME_HOP * RATE) / SAMPLE_RATE;
  const window = Float64Array.from({ length: WINDOW }, (_, n) => 0.5 - 0.5 * Math.cos((2 * Math.PI * n) / WINDOW));
  const count = Math.max(1, Math.ceil(audio.length / hop));
  return Array.from({ length: count }, (_, frame) => {
    const real = new Float64Array(FFT);
    const imaginary = new Float64Array(FFT);
    const from = frame * hop - WINDOW / 2;
    for (let n = 0; n < WINDOW; n++)
      real[n] = ((audio[from + n] ?? 0) - 0.97 * (audio[from + n - 1] ?? 0)) * window[n]!;
    transform(real, imaginary);
    return Float32Array.from({ length: FFT / 2 + 1 }, (_, bin) => real[bin]! ** 2 + imaginary[bin]! ** 2);
  });
}

/**
 * Mel-frequency cepstra (Davis & Mermelstein 1980) of the spectra, frames of {@link FRAME_SIZE} values, minus their mean over
 * the utterance so that two voices become comparable.
 * @param stretch factor of the bands' frequencies: above 1 for the reference of a speaker with a longer vocal tract, below 1 for a
 * shorter one (L. Lee & R. Rose 1998).
 */
export function cepstra(frames: readonly Spectrum[], stretch = 1): Float32Array[] {
  const bands = melBands(stretch);
  const still = frames.map((spectrum) => frameOf(spectrum, bands));
  removeMean(still);
  return still.map((frame, index) => withSlopes(frame, still[index - 2] ?? frame, still[index + 2] ?? frame));
}

/** Level of a frame of {@link cepstra}: the mean of its bands' logarithms, in nepers of power, relative to the utterance. */
export function levelOf(frame: Float32Array): number {
  return (frame[FRAME_SIZE - 1] ?? 0) / LEVEL_WEIGHT;
}

function frameOf(spectrum: Spectrum, bands: readonly (readonly [number, number][])[]): Float32Array {
  const logs = bands.map((band) => {
    let power = 1e-7;
    for (const [bin, weight] of band) power += weight * spectrum[bin]!;
    return Math.log(power);
  });
  const out = new Float32Array(CEPSTRA + 1);
  for (let order = 1; order <= CEPSTRA; order++) {
    let sum = 0;
    for (let band = 0; band < BANDS; band++) sum += logs[band]! * Math.cos((Math.PI * order * (band + 0.5)) / BANDS);
    out[order - 1] = (sum / BANDS) * (1 + LIFTER * Math.sin((Math.PI * order) / 22));
  }
  out[CEPSTRA] = LEVEL_WEIGHT * (logs.reduce((sum, log) => sum + log, 0) / BANDS);
  return out;
}

function removeMean(frames: readonly Float32Array[]): void {
  for (let at = 0; at <= CEPSTRA; at++) {
    const mean = frames.reduce((sum, frame) => sum + frame[at]!, 0) / frames.length;
    for (const frame of frames) frame[at]! -= mean;
  }
}

function withSlopes(frame: Float32Array, before: Float32Array, after: Float32Array): Float32Array {
  const out = new Float32Array(FRAME_SIZE);
  out.set(frame.subarray(0, CEPSTRA));
  for (let at = 0; at < CEPSTRA; at++) out[CEPSTRA + at] = SLOPE_WEIGHT * (after[at]! - before[at]!);
  out[FRAME_SIZE - 1] = frame[CEPSTRA]!;
  return out;
}

/** Triangular filters evenly spaced on the mel scale from 60 to 7000 Hz, as bins of the transform with their weights. */
function melBands(stretch: number): (readonly [number, number][])[] {
  const mel = (hertz: number): number => 2595 * Math.log10(1 + hertz / 700);
  const hertz = (value: number): number => 700 * (10 ** (value / 2595) - 1);
  const low = mel(60);
  const step = (mel(7000) - low) / (BANDS + 1);
  const last = FFT / 2;
  return Array.from({ length: BANDS }, (_, band) => {
    const [left, centre, right] = [0, 1, 2].map((edge) =>
      Math.min(last, (hertz(low + (band + edge) * step) * stretch * FFT) / RATE),
    ) as [number, number, number];
    const bins: [number, number][] = [];
    for (let bin = Math.ceil(left); bin <= right; bin++) {
      const weight = bin <= centre ? (bin - left) / (centre - left) : (right - bin) / (right - centre);
      if (weight > 0) bins.push([bin, weight]);
    }
    return bins;
  });
}

/** In-place radix-2 transform (Cooley & Tukey 1965); the length is a power of two. */
function transform(real: Float64Array, imaginary: Float64Array): void {
  const size = real.length;
  for (let n = 1, reversed = 0; n < size; n++) {
    let bit = size >> 1;
    for (; reversed & bit; bit >>= 1) reversed ^= bit;
    reversed ^= bit;
    if (n < reversed) {
      [real[n], real[reversed]] = [real[reversed]!, real[n]!];
      [imaginary[n], imaginary[reversed]] = [imaginary[reversed]!, imaginary[n]!];
    }
  }
  for (let length = 2; length <= size; length <<= 1) {
    const half = length >> 1;
    for (let k = 0; k < half; k++) {
      const cosine = Math.cos((-2 * Math.PI * k) / length);
      const sine = Math.sin((-2 * Math.PI * k) / length);
      for (let at = k; at < size; at += length) {
        const other = at + half;
        const r = real[other]! * cosine - imaginary[other]! * sine;
        const i = real[other]! * sine + imaginary[other]! * cosine;
        real[other] = real[at]! - r;
        imaginary[other] = imaginary[at]! - i;
        real[at]! += r;
        imaginary[at]! += i;
      }
    }
  }
}
