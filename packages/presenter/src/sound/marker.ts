import type { PhonemeMark } from '../marks.js';
import { Decoder } from './decoder.js';
import { AHEAD, dipOf, FeatureStream, HOP, isSteady } from './features.js';
import { WINDOW } from './mel.js';
import type { PhoneClassifier } from './network.js';

/** Computes mouth shapes from streamed sound, one sound for each marker; it stores the level and the last 170 ms. */
export class SoundMarker {
  readonly #features = new FeatureStream();
  readonly #decoder: Decoder;
  /** Logarithms of the probabilities in certain silence. */
  readonly #silence: Float32Array;
  #samples = 0;
  #ended = false;
  #covered = 0;

  /** @param network of this marker alone. */
  constructor(private readonly network: PhoneClassifier) {
    this.#decoder = new Decoder(network);
    this.#silence = new Float32Array(network.phones.map((phone) => (phone === '' ? 0 : -10)));
  }

  /**
   * Takes the next samples (48 kHz mono, any number) and returns newly decided marks. All marks together cover the sound without
   * gaps from its start to at most 80 ms before its current end. A long phone is split into several marks. Throws a RangeError for
   * samples that are not finite, and discards all of them.
   */
  push(samples: Float32Array): readonly PhonemeMark[] {
    if (this.#ended) throw new Error('expected no sound after the end, got some');
    assertFinite(samples);
    this.#samples += samples.length;
    return this.#take(samples);
  }

  /** Ends the sound. @returns the marks of the last 80 ms. */
  end(): readonly PhonemeMark[] {
    if (this.#ended) return [];
    this.#ended = true;
    if (this.#covered >= this.#samples) return [];
    const marks = this.#take(new Float32Array(AHEAD * HOP + WINDOW));
    return marks
      .filter(({ start }) => start < this.#samples)
      .map((mark) => ({ ...mark, end: Math.min(mark.end, this.#samples) }));
  }

  #take(samples: Float32Array): PhonemeMark[] {
    const marks: PhonemeMark[] = [];
    for (const input of this.#features.push(samples)) {
      const logs = isSteady(input) ? this.#silence : this.network.classify(input);
      const mark = this.#decoder.push(logs, dipOf(input));
      if (mark !== undefined) addMark(marks, mark);
    }
    this.#covered = marks.at(-1)?.end ?? this.#covered;
    return marks;
  }
}

/** Appends a mark, or extends the last one if it has the same phone. */
export function addMark(marks: PhonemeMark[], mark: PhonemeMark): void {
  const last = marks.at(-1);
  if (last?.phone === mark.phone && last.end === mark.start) marks[marks.length - 1] = { ...last, end: mark.end };
  else marks.push(mark);
}

function assertFinite(samples: Float32Array): void {
  for (let at = 0; at < samples.length; at++) {
    if (!Number.isFinite(samples[at])) {
      throw new RangeError(`expected finite samples, got ${samples[at]} at sample ${at}`);
    }
  }
}
