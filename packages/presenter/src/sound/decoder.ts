import type { PhonemeMark } from '../marks.js';
import { HOP } from './features.js';
import type { PhoneClassifier } from './network.js';

/** Minimum length of a phone, in frames: closed lips are visible from 40 ms on, and shapes shorter than 30 ms flicker. */
const SHORTEST = { closure: 4, other: 3 };

/** Cost of a change of phone, in nepers of probability. */
const CHANGE = 1.6;

/** Compensation of class frequencies: 0 none, 1 as if all classes were equally frequent. */
const RARENESS = 0.2;

/**
 * Additional preference for closed lips, in nepers, because a missed closure is more visible than a wrong one. Only where the sound dips, because
 * closed lips muffle it: none up to `from` nepers of power, all of it from `to`.
 */
const CLOSURE_BONUS = 3;
const DIP = { from: 0.8, to: 1.6 };

const CLOSURE = 'b';

/**
 * Decodes class probabilities to phones: the Viterbi recursion without backtracking, because earlier phones have already been
 * shown. Each phone has a minimum length.
 */
export class Decoder {
  readonly #scores: Float64Array;
  readonly #bonus: readonly number[];
  #current = -1;
  /** Earliest end of the current phone, exclusive. */
  #until = 0;
  #frame = 0;

  constructor(private readonly network: Pick<PhoneClassifier, 'phones' | 'shares'>) {
    this.#scores = new Float64Array(network.phones.length);
    this.#bonus = network.shares.map((share) => -RARENESS * Math.log(share));
  }

  /** Takes the logarithms of the probabilities in the next frame and how far it dips (see `dipOf`); returns newly decided phones. */
  push(logs: Float32Array, dip: number): PhonemeMark | undefined {
    const best = this.#advance(logs, CLOSURE_BONUS * Math.min(1, Math.max(0, (dip - DIP.from) / (DIP.to - DIP.from))));
    const frame = this.#frame++;
    if (best !== this.#current && frame >= this.#until) {
      this.#current = best;
      const shortest = this.network.phones[best] === CLOSURE ? SHORTEST.closure : SHORTEST.other;
      this.#until = frame + shortest;
      return this.#mark(frame);
    }
    if (frame < this.#until) return undefined;
    this.#until = frame + 1;
    return this.#mark(frame);
  }

  #advance(logs: Float32Array, closure: number): number {
    const scores = this.#scores;
    const most = scores.reduce((a, b) => Math.max(a, b));
    let best = 0;
    for (let at = 0; at < scores.length; at++) {
      scores[at] = Math.max(scores[at]! - most, -CHANGE) + logs[at]! + this.#bonus[at]!;
      if (this.network.phones[at] === CLOSURE) scores[at]! += closure;
      if (scores[at]! > scores[best]!) best = at;
    }
    return best;
  }

  #mark(from: number): PhonemeMark {
    return { phone: this.network.phones[this.#current]!, stress: 0, start: from * HOP, end: this.#until * HOP };
  }
}
