/** Samples between two values of the loudness of speech (10 ms). */
export const ENERGY_HOP = 480;

/**
 * One spoken sound. `phone` is IPA (NFD, without stress or length marks; `''` is silence); `stress` is the stress of
 * the syllable it belongs to: 0 none, 1 primary, 2 secondary. Times are samples from the start of the utterance.
 */
export interface PhonemeMark {
  readonly phone: string;
  readonly stress: 0 | 1 | 2;
  readonly start: number;
  readonly end: number;
}

/**
 * One spoken word. `textStart`, `textEnd` are UTF-16 offsets into the text passed to `synthesize`, so that
 * `text.slice(textStart, textEnd) === word.text`, except for SSML with entities or markup inside the word. Times are samples from the start
 * of the utterance.
 */
export interface WordMark {
  readonly text: string;
  readonly textStart: number;
  readonly textEnd: number;
  readonly start: number;
  readonly end: number;
}

/** A `<mark>` of SSML: the sample at which it is reached. */
export interface NamedMark {
  readonly name: string;
  readonly at: number;
}

/** The tiers of timing; each is sorted, without overlaps, and inside the audio. */
export interface Marks {
  readonly phonemes: readonly PhonemeMark[];
  readonly words: readonly WordMark[];
  /** Absent where the text has none. */
  readonly named?: readonly NamedMark[];
}
