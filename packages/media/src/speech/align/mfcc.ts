import { BANDS, logMel, melBands, Spectrometer, type Spectrum, WINDOW } from '@figurehead/presenter/sound';
import type { Pcm } from '../../audio.js';

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

/** Short-time spectra of 48 kHz speech, one every {@link FRAME_HOP} samples. */
export function spectra(samples: Pcm): Spectrum[] {
  const spectrometer = new Spectrometer();
  const count = Math.max(1, Math.ceil(samples.length / FRAME_HOP));
  return Array.from({ length: count }, (_, frame) => spectrometer.at(samples, frame * FRAME_HOP - WINDOW / 2));
}

/** The mean of each `group` spectra: the same sound at a lower resolution. */
export function coarser(frames: readonly Spectrum[], group: number): Spectrum[] {
  return Array.from({ length: Math.ceil(frames.length / group) }, (_, index) => {
    const part = frames.slice(index * group, (index + 1) * group);
    return part[0]!.map((_value, bin) => part.reduce((sum, spectrum) => sum + spectrum[bin]!, 0) / part.length);
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
  const still = frames.map((spectrum) => frameOf(logMel(spectrum, bands)));
  removeMean(still);
  return still.map((frame, index) => withSlopes(frame, still[index - 2] ?? frame, still[index + 2] ?? frame));
}

function frameOf(logs: Float32Array): Float32Array {
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
