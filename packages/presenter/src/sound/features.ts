import { BANDS, logMel, melBands, Spectrometer, WINDOW } from './mel.js';

/** Samples between two frames: 10 ms. Frame n covers n × HOP to (n + 1) × HOP. */
export const HOP = 480;

/** Context of a frame, as relative frame numbers: 100 ms before to 60 ms after. */
const CONTEXT = [-10, -8, -6, -4, -3, -2, -1, 0, 1, 2, 3, 4, 5, 6];
/** Frames after the present one that the context needs. */
export const AHEAD = 6;
const BEHIND = 10;

/** Number of the network's inputs for one frame. */
export const INPUTS = CONTEXT.length * BANDS;

/** Initial and minimum level of speech, in mean nepers of the bands; sound below the minimum is not amplified. */
const USUAL_LEVEL = -2.5;
const LEAST_LEVEL = -7;

/** Rates per frame at which the level follows louder and quieter sound: within 30 ms up, 10 dB per second down. */
const RISE = 0.3;
const FALL = 0.023;

/** Nepers per unit of input, and the minimum input. */
const SCALE = 3;
const QUIETEST = -3.5;

/** Computes the bands of the frames within {@link CONTEXT} of the current one, relative to the recent level of speech. */
export class FeatureStream {
  readonly #spectrometer = new Spectrometer();
  readonly #bands = melBands();
  /** The last samples, needed for the next frame's window. */
  #rest: Float32Array = new Float32Array((WINDOW - HOP) / 2);
  #frames: Float32Array[] = [];
  #level = USUAL_LEVEL;

  /** Takes the next samples; returns the network's input for each frame whose context is complete. */
  push(samples: Float32Array): Float32Array[] {
    const sound = new Float32Array(this.#rest.length + samples.length);
    sound.set(this.#rest);
    sound.set(samples, this.#rest.length);
    const out: Float32Array[] = [];
    let at = 0;
    for (; at + WINDOW <= sound.length; at += HOP) {
      const input = this.#hear(logMel(this.#spectrometer.at(sound, at), this.#bands));
      if (input !== undefined) out.push(input);
    }
    this.#rest = sound.slice(at);
    return out;
  }

  #hear(frame: Float32Array): Float32Array | undefined {
    // Silence is assumed before the sound.
    while (this.#frames.length < BEHIND) this.#frames.push(new Float32Array(BANDS).fill(-Infinity));
    this.#frames.push(frame);
    const level = frame.reduce((sum, value) => sum + value, 0) / BANDS;
    this.#level = Math.max(LEAST_LEVEL, this.#level + Math.max(RISE * (level - this.#level), -FALL));
    if (this.#frames.length <= BEHIND + AHEAD) return undefined;
    const input = this.#input();
    this.#frames.shift();
    return input;
  }

  #input(): Float32Array {
    const input = new Float32Array(INPUTS);
    for (const [index, offset] of CONTEXT.entries()) {
      const frame = this.#frames[BEHIND + offset]!;
      for (let band = 0; band < BANDS; band++) {
        input[index * BANDS + band] = Math.max(QUIETEST, (frame[band]! - this.#level) / SCALE);
      }
    }
    return input;
  }
}

/** How much quieter the present frame (or one beside it) is than the loudest around it, in nepers of power: closed lips muffle. */
export function dipOf(input: Float32Array): number {
  const present = CONTEXT.indexOf(0);
  let loudest = Number.NEGATIVE_INFINITY;
  let quietest = Number.POSITIVE_INFINITY;
  for (let index = 0; index < CONTEXT.length; index++) {
    let sum = 0;
    for (let band = 0; band < BANDS; band++) sum += input[index * BANDS + band]!;
    loudest = Math.max(loudest, sum);
    if (Math.abs(index - present) <= 1) quietest = Math.min(quietest, sum);
  }
  return ((loudest - quietest) * SCALE) / BANDS;
}

/**
 * Largest changes within the context of a sound that stays the same, in nepers of power: mean range of the bands, range of their mean, and mean
 * difference of the bands between its first and last frames. Noise of any colour changes by chance, 99 % of it less; a tone by 0.15. Of the frames of
 * recorded speech 5 % change less, most of them in pauses.
 */
const STEADY = { bands: 2.1, level: 0.65, drift: 0.5 };
const EDGE_FRAMES = 5;

/** Whether the sound is the same in the whole context, except by chance: a tone, a hum, a hiss, a fan, or nothing. */
export function isSteady(input: Float32Array): boolean {
  const levels = new Float32Array(CONTEXT.length);
  let bands = 0;
  let drift = 0;
  for (let band = 0; band < BANDS; band++) {
    let [most, least, early, late] = [Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY, 0, 0];
    for (let frame = 0; frame < CONTEXT.length; frame++) {
      const value = input[frame * BANDS + band]!;
      most = Math.max(most, value);
      least = Math.min(least, value);
      levels[frame]! += value;
      if (frame < EDGE_FRAMES) early += value;
      if (frame >= CONTEXT.length - EDGE_FRAMES) late += value;
    }
    bands += most - least;
    drift += Math.abs(late - early) / EDGE_FRAMES;
  }
  const nepers = SCALE / BANDS;
  const level = Math.max(...levels) - Math.min(...levels);
  return bands * nepers < STEADY.bands && level * nepers < STEADY.level && drift * nepers < STEADY.drift;
}
