import type { Marks, PhonemeMark } from '../marks.js';
import { SAMPLE_RATE } from '../time.js';
import { SoundMarker } from './marker.js';
import type { PhoneClassifier } from './network.js';

/** Minimum length of a chunk, 20 ms: one packet. */
const SHORTEST_CHUNK = 0.02 * SAMPLE_RATE;

/** A chunk of speech with its mouth shapes; its start and the marks are samples from the start of the sound. */
export interface HeardSpeech {
  readonly start: number;
  readonly samples: Float32Array;
  readonly marks: Marks;
}

/** Cuts speech that arrives in pieces into chunks, each as soon as its marks are final: at most 80 ms later. */
export class SoundCutter {
  readonly #marker: SoundMarker;
  #rest = new Float32Array(0);
  #start = 0;
  #phonemes: PhonemeMark[] = [];

  /** @param network of this sound alone. */
  constructor(network: PhoneClassifier) {
    this.#marker = new SoundMarker(network);
  }

  /** @param samples 48 kHz mono. @throws RangeError for samples that are not finite. */
  *push(samples: Float32Array): Generator<HeardSpeech, void, void> {
    if (samples.length === 0) return;
    const joined = new Float32Array(this.#rest.length + samples.length);
    joined.set(this.#rest);
    joined.set(samples, this.#rest.length);
    this.#rest = joined;
    this.#phonemes.push(...this.#marker.push(samples));
    const end = this.#phonemes.at(-1)?.end ?? this.#start;
    if (end - this.#start >= SHORTEST_CHUNK) yield this.#cut(end);
  }

  *end(): Generator<HeardSpeech, void, void> {
    this.#phonemes.push(...this.#marker.end());
    if (this.#rest.length > 0) yield this.#cut(this.#start + this.#rest.length);
  }

  #cut(end: number): HeardSpeech {
    const length = end - this.#start;
    const chunk = {
      start: this.#start,
      samples: this.#rest.slice(0, length),
      marks: { phonemes: this.#phonemes, words: [] },
    };
    this.#rest = this.#rest.slice(length);
    this.#start = end;
    this.#phonemes = [];
    return chunk;
  }
}
