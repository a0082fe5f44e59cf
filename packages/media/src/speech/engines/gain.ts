import type { Pcm } from '../../audio.js';
import { gainOf, integratedLoudness, SPEECH_LUFS } from '../../loudness.js';

/** Maximum gain in dB; quieter sound counts as silence. */
const MAX_DECIBELS = 30;

/** Gains for voices of unknown loudness, from the mean loudness of their speech so far. */
export class HeardLoudness {
  readonly #heard = new Map<string, { power: number; weight: number }>();

  /** Adds raw 48 kHz speech of this voice to the mean. @returns the gain to the target loudness. */
  gain(voice: string, samples: Pcm): number {
    const lufs = integratedLoudness([samples]);
    const heard = this.#heard.get(voice) ?? { power: 0, weight: 0 };
    if (Number.isFinite(lufs)) {
      heard.power += 10 ** (lufs / 10) * samples.length;
      heard.weight += samples.length;
      this.#heard.set(voice, heard);
    }
    if (heard.weight === 0) return 1;
    return gainToSpeech(10 * Math.log10(heard.power / heard.weight));
  }
}

/** Gain from a loudness, in LUFS, to that of all speech; 1 for silence. */
export function gainToSpeech(lufs: number): number {
  return Number.isFinite(lufs) ? gainOf(Math.min(MAX_DECIBELS, SPEECH_LUFS - lufs)) : 1;
}
