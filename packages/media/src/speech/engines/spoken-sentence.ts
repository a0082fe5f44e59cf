import type { Pcm } from '../../audio.js';
import type { PhonemeMark } from '../contract.js';

/** A sound of a {@link SpokenSentence}; `token` is the index of the order's token it belongs to, −1 for silence. */
export interface SpokenPhone extends PhonemeMark {
  readonly token: number;
}

/** What an engine gives back: 48 kHz, at the final loudness, without silence at its ends, both ends faded to zero. */
export interface SpokenSentence {
  readonly samples: Pcm;
  /** Sorted, without overlaps, inside the samples. */
  readonly phones: readonly SpokenPhone[];
}
