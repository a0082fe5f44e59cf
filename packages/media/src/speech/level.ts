import type { Pcm } from '../audio.js';
import { limitPeaks } from '../loudness.js';
import { HeardLoudness } from './engines/gain.js';

/** A recording at the loudness of synthesised speech (−18 LUFS), amplified by 30 dB at most, its peaks under −1 dBTP. */
export function levelSpeech(samples: Pcm): Pcm {
  const gain = new HeardLoudness().gain('', samples);
  return limitPeaks(samples.map((sample) => sample * gain));
}
