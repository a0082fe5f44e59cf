import { ENERGY_HOP, type PhonemeMark } from '../marks.js';
import { ms, smoothstep } from './easing.js';
import type { Articulation } from './visemes.js';

/**
 * When a stretch became known and when it was interrupted; shared by everything compiled from it. In a video everything is
 * known from the start; in a stream nothing may move before the words are known, and an interruption fades later movements.
 */
export interface Lifetime {
  /** Sample before which the stretch has no effect. */
  readonly knownAt: number;
  /** Sample at which it was interrupted; Infinity if it was not. */
  cutAt: number;
}

/** One part of a phone for the mouth. Times in samples of the track. */
export interface MouthPart {
  readonly start: number;
  readonly end: number;
  /** Last sample of the sound itself; before `end` if the mouth holds the shape through a short pause. */
  readonly soundEnd: number;
  readonly articulation: Articulation;
  /** Jaw goal after stress and loudness, 0…1. */
  readonly open: number;
  /** Flanks before `start` and after the hold, in samples. */
  readonly rise: number;
  readonly fall: number;
  /** The stretch's loudness, for movement within the phone. */
  readonly voice: LoudnessCurve;
  readonly lifetime: Lifetime;
}

/** Loudness on the track's clock. */
export interface LoudnessCurve {
  readonly start: number;
  readonly energy: Float32Array;
}

/** A phrase: speech between two pauses of 250 ms. The head moves to a new attitude for each. */
export interface Phrase {
  readonly start: number;
  readonly end: number;
  /** Attitude in radians. */
  readonly yaw: number;
  readonly pitch: number;
  readonly roll: number;
  readonly lifetime: Lifetime;
}

/** A short movement on a stressed word: reaches `amount` at `at`, then decays. */
export interface Accent {
  readonly at: number;
  /** Pitch of a nod in radians, or brow lift. */
  readonly amount: number;
  readonly lifetime: Lifetime;
}

/** A phone on the track's clock; it is held from `soundEnd` to `end`. */
export interface HeldPhone extends PhonemeMark {
  readonly soundEnd: number;
}

/** Weight of a movement with this lifetime at `sample`, 0…1. */
export function presence(lifetime: Lifetime, sample: number): number {
  const known = lifetime.knownAt === -Infinity ? 1 : smoothstep(lifetime.knownAt, lifetime.knownAt + ms(90), sample);
  return lifetime.cutAt === Infinity
    ? known
    : known * (1 - smoothstep(lifetime.cutAt, lifetime.cutAt + ms(120), sample));
}

/** Loudness 0…1 at a sample, linearly interpolated; `undefined` outside the values. */
export function loudnessAt({ start, energy }: LoudnessCurve, sample: number): number | undefined {
  const position = (sample - start) / ENERGY_HOP;
  const i = Math.floor(position);
  const low = energy[i];
  if (low === undefined) return undefined;
  return low + ((energy[i + 1] ?? low) - low) * (position - i);
}
