import type { Pcm } from '../../audio.js';
import type { PhonemeMark } from '../contract.js';

/** A sound of a {@link SpokenSentence}; `token` is the index of its token in the order, −1 for silence. */
export interface SpokenPhone extends PhonemeMark {
  readonly token: number;
}

/** An engine's result: 48 kHz, at the final loudness, without silence at its ends, both ends faded to zero. */
export interface SpokenSentence {
  readonly samples: Pcm;
  /** Sorted, without overlaps, inside the samples. */
  readonly phones: readonly SpokenPhone[];
}
