import type { Pcm } from '../../audio.js';
import { gainOf, integratedLoudness, SPEECH_LUFS } from '../../loudness.js';

/** Most that a voice is amplified, in dB; what is quieter is taken for silence. */
const MAX_DECIBELS = 30;

/** Gains for voices whose loudness nobody has measured: by the mean of all that was heard of a voice so far. */
export class HeardLoudness {
  readonly #heard = new Map<string, { power: number; weight: number }>();

  /** Gain towards the speech loudness for raw 48 kHz speech of this voice, which is counted in first. */
  gain(voice: string, samples: Pcm): number {
    const lufs = integratedLoudness([samples]);
    const heard = this.#heard.get(voice) ?? { power: 0, weight: 0 };
    if (Number.isFinite(lufs)) {
      heard.power += 10 ** (lufs / 10) * samples.length;
      heard.weight += samples.length;
      this.#heard.set(voice, heard);
    }
    if (heard.weight === 0) return 1;
    return Math.min(gainOf(MAX_DECIBELS), gainOf(SPEECH_LUFS - 10 * Math.log10(heard.power / heard.weight)));
  }
}
